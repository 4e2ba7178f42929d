// Pictures of the page: six for the documentation, one for each card of the gallery.
import {mkdirSync, readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {browser, finished, openPage, root, serve, web} from './site.mjs';

const {server, address} = await serve(resolve(web, 'dist'));
const {context, close} = await browser();
const figures = resolve(root, 'docs/figures'), gallery = resolve(web, 'gallery');
mkdirSync(gallery, {recursive: true});

/** A frame near a part of the motion that shows forces, not the limits at an impact. */
const show = (page, part) => page.evaluate(p => {
  const count = window.saltusLab.frames(), side = document.querySelector('#side');
  let frame = Math.round(p * count);
  do window.saltusLab.seek(frame++);
  while (side.textContent && frame < count);
}, part);
// where in the motion each picture is taken
const six = {dominoes: 0.55, 'double-pendulum-wall': 0.62, stairs: 0.5, drum: 0.7, geneva: 0.4, 'thrown-die': 0.35};
for (const [name, part] of Object.entries(six)) {
  const {page} = await openPage(context, `${address}#example=${name}`, {dark: name === 'drum'});
  await finished(page);
  await show(page, part);
  await page.waitForTimeout(300);
  await page.screenshot({path: join(figures, `web-lab-${name}.png`)});
  await page.close();
}
const cards = [...readFileSync(resolve(web, 'src/gallery.ts'), 'utf8').matchAll(/example: '([^']+)'/g)].map(m => m[1]);
for (const name of cards) {
  const {page} = await openPage(context, `${address}#example=${name}`, {viewport: {width: 900, height: 700}, dark: false});
  await finished(page);
  await show(page, 0.45);
  await page.evaluate(() => document.querySelectorAll('.stage-tools, .stage-note').forEach(e => (e.style.display = 'none')));
  await page.waitForTimeout(300);
  await page.locator('#view').screenshot({path: join(gallery, `${name.replace('/', '-')}.png`), scale: 'css'});
  await page.close();
}
await close();
server.close();
console.log(`${Object.keys(six).length} pictures in docs/figures, ${cards.length} in web/gallery`);
process.exit(0);

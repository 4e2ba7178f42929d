// Much data, bodies in space, and what is taken out of the page.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {finished, openPage, seen, until} from './site.mjs';

const seek = (page, part) => page.evaluate(p => window.saltusLab.seek(Math.round(p * (window.saltusLab.frames() - 1))), part);

export const loads = ({context, address, id, setText, out}) => ({
  async 'draws bodies in space, from every side'() {
    for (const name of ['thrown-die', 'heavy-top', 'wheel-and-screw']) {
      const {page, errors} = await openPage(context, `${address}#example=${name}`);
      await finished(page);
      await seek(page, 0);
      const first = await seen(page);
      assert.ok(first.part > 0.005, `${name}: ${first.part} of the view is drawn`);
      await seek(page, 0.6);
      const later = await seen(page);
      assert.notEqual(later.mark, first.mark, `${name}: it moves`);
      const box = await page.locator(id('view')).boundingBox();
      await page.mouse.move(box.x + 200, box.y + 200);
      await page.mouse.down();
      await page.mouse.move(box.x + 320, box.y + 160, {steps: 3});
      await page.mouse.up();
      const turned = await seen(page);
      assert.ok(turned.mark !== later.mark && turned.part > 0.005, `${name}: it turns`);
      await page.screenshot({path: join(out, `space-${name}.png`)});
      await page.close();
      assert.deepEqual(errors, []);
    }
  },
  async 'plots and scrubs a million samples without stalls'() {
    const {page, errors} = await openPage(context, address);
    await finished(page);
    await setText(page, 'saltus: 1\ncoordinates:\n  z: {start: 1 m}\nmass: {z: 1 kg}\nforces: {z: -9.81 N}\ncontacts:\n  floor: {gap: z, law: {name: unilateral, e: 0.9}}\nrun: {t_end: 5 s, h: 5e-6 s}\n');
    await until(page, () => window.saltusLab.good());
    await page.locator(id('run')).click();
    await until(page, () => window.saltusLab.state().status === 'finished' && /finished/.test(document.querySelector('#status').textContent), null, {timeout: 90_000});
    const samples = await page.evaluate(() => window.saltusLab.samples());
    assert.ok(samples >= 1e6, `${samples} samples`);
    // the time of an action until the page has drawn what it leads to
    const time = (what, argument) => page.evaluate(async ([w, a]) => {
      const begin = performance.now();
      if (w === 'seek') window.saltusLab.seek(a);
      else {
        const s = document.querySelector(`#${w}`);
        s.value = a;
        s.dispatchEvent(new Event('change'));
      }
      const script = performance.now() - begin;
      await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
      return [script, performance.now() - begin];
    }, [what, argument]);
    await time('plot-what', "z'");
    const scrub = [];
    for (let k = 0; k < 30; ++k) scrub.push((await time('seek', 37 * k))[0]);
    scrub.sort((a, b) => a - b);
    const plot = await time('plot-what', 'z'), phase = await time('plot-over', "z'"), points = await time('section', 'impacts');
    await time('section', ''), await time('plot-over', 't');
    const box = await page.locator('#plot .u-over').boundingBox();
    await page.mouse.move(box.x + 100, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + 180, box.y + 60, {steps: 2});
    const begin = Date.now();
    await page.mouse.up();
    await page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(done))));
    const zoom = Date.now() - begin;
    const text = x => Math.round(x[1]);
    console.log(`    ${samples} samples: scrub ${scrub[15].toFixed(1)} ms (script), plot ${text(plot)} ms, phase portrait ${text(phase)} ms, points ${text(points)} ms, zoom ${zoom} ms`);
    assert.ok(scrub[15] < 50 && plot[1] < 500 && phase[1] < 1000 && points[1] < 1000 && zoom < 500);
    await page.close();
    assert.deepEqual(errors, []);
  },
  async 'gives curves as SVG, CSV and JSON, and draws runs over each other'() {
    const {page, errors} = await openPage(context, `${address}#example=double-pendulum-wall`);
    await finished(page);
    const taken = async name => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.locator(`#${name}`).click()]);
      return readFileSync(await download.path(), 'utf8');
    };
    const csv = (await taken('csv')).trim().split('\n'), json = JSON.parse(await taken('json')), svg = await taken('svg');
    assert.match(csv[0], /^curve,t,value$/);
    assert.equal(csv.length - 1, json.curves.reduce((n, c) => n + c.x.length, 0));
    assert.match(svg, /^<svg [^]*<path[^]*<\/svg>\s*$/);
    // both limits of a velocity that jumps: two samples at one time
    const {x, y} = json.curves[1], at = x.findIndex((t, i) => i > 0 && t === x[i - 1]);
    assert.ok(at > 0 && Math.abs(y[at] - y[at - 1]) > 1, 'the jump has two samples');
    await page.locator('#keep').evaluate(e => (e.checked = true));
    await page.locator(id('run')).click();
    await until(page, () => document.querySelectorAll('.plot-key').length === 4);
    for (const what of ['energy ledger', 'energy', 'impulse of tip', 'energy ledger']) {
      await page.locator('#plot-what').selectOption(what);
      const [plot, legend] = await Promise.all(['.uplot', '.plot-legend'].map(s => page.locator(`#plot ${s}`).boundingBox()));
      assert.ok(plot.y + plot.height <= legend.y + 1, `${what}: the legend is below the plot`);
    }
    await page.close();
    assert.deepEqual(errors, []);
  },
  async 'has sliders, completion, and names for all controls'() {
    const {page, errors} = await openPage(context, `${address}#example=bouncing-ball`);
    await finished(page);
    const linked = await openPage(context, `${address}#example=bouncing-ball&p=e=0.25`);
    await finished(linked.page);
    assert.match(await linked.page.evaluate(() => window.saltusLab.text()), /e: 0\.25\b/);
    await linked.page.close();
    await page.locator('#p-e').fill('0.8');
    await until(page, () => /e: 0\.8\b/.test(window.saltusLab.text()) && window.saltusLab.state().events.length < 10);
    await setText(page, 'saltus: 1\n');
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('coord');
    await page.waitForSelector('.cm-tooltip-autocomplete li');
    assert.match(await page.locator('.cm-tooltip-autocomplete').innerText(), /coordinates/);
    const nameless = await page.evaluate(() => [...document.querySelectorAll('button, select, input, a, canvas[tabindex], [role=img]')].filter(e => {
      const label = e.id && document.querySelector(`label[for="${CSS.escape(e.id)}"]`);
      return !(e.getAttribute('aria-label') || e.textContent.trim() || e.closest('label')?.textContent.trim() || label?.textContent.trim());
    }).map(e => e.outerHTML.slice(0, 80)));
    assert.deepEqual(nameless, []);
    await page.close();
    assert.deepEqual(errors, []);
  },
});

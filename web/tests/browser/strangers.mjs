// What a stranger may hand to the page: links, scenes that are too large or never end, text that wants to be script.
import assert from 'node:assert/strict';
import {deflateSync} from 'node:zlib';
import {finished, openPage, state, until} from './site.mjs';

const link = value => '#s=' + deflateSync(Buffer.from(value)).toString('base64url');
/** The page answers within a moment. */
async function answers(page, most = 1000) {
  const begin = Date.now();
  await page.evaluate(() => new Promise(done => requestAnimationFrame(done)));
  assert.ok(Date.now() - begin < most, `the page answered after ${Date.now() - begin} ms`);
}

export const strangers = ({context, address, id, setText}) => ({
  async 'answers hostile links with a message'() {
    const huge = link(JSON.stringify({scene: ' '.repeat(60_000_000)}));
    for (const bad of [huge, link('{"scene": {"toString": 1}}'), link('{"__proto__": {"scene": "x"}}'), link('[]'), '#s=%00', '#s=' + 'A'.repeat(300_000), '#file=%E0%A4%A', '#file=..%2f..%2fetc%2fpasswd', '#file=x']) {
      const {page, errors} = await openPage(context, address + bad);
      await until(page, () => document.querySelector('#status').className === 'bad', null, {timeout: 15_000});
      await answers(page);
      assert.deepEqual(errors.filter(e => !/404/.test(e)), [], bad.slice(0, 40));
      await page.close();
    }
    for (const odd of ['#example=__proto__', '#example=constructor', '#<script>alert(1)</script>']) {
      const {page, errors} = await openPage(context, address + odd);
      await finished(page);  // of the first example
      assert.deepEqual(errors, []);
      await page.close();
    }
  },
  async 'runs no shared scene by itself, and no script of it'() {
    const evil = '<img src=x onerror=alert(1)>', scene = `saltus: 1\ntitle: "${evil}"\ncoordinates:\n  z: {start: 1 m}\nmass: {z: 1 kg}\nforces: {z: -1 N}\nrun: {t_end: 1 s}\n`;
    const {page, errors} = await openPage(context, address + link(JSON.stringify({scene, rtol: '<b>1e-6</b>'})));
    await until(page, () => window.saltusLab?.good());
    await page.waitForTimeout(300);
    assert.equal((await state(page)).status, 'idle');
    assert.deepEqual(errors, []);
    // the policy holds for script that somebody managed to put into the page
    await page.evaluate(() => {
      const s = document.createElement('script');
      s.textContent = 'window.hacked = 1';
      document.body.append(s);
      const d = document.createElement('div');
      d.innerHTML = '<img src="data:," onerror="window.hacked = 2">';
      document.body.append(d);
    });
    await page.waitForTimeout(200);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    await page.close();
  },
  async 'checks huge scenes, or says that they are too large'() {
    const {page, errors} = await openPage(context, address);
    await finished(page);
    const bodies = n => Array.from({length: n}, (_, k) => `  b${k}: {shape: disk, radius: 1 mm, mass: 1 g, position: [${k} m, 1 m]}`).join('\n');
    const scenes = [
      `saltus: 1\nbodies:\n${bodies(12_000)}\nrun: {t_end: 1 s}\n`,
      'saltus: 1\ngroups:\n  g: {shape: disk, radius: 1 mm, mass: 1 g, layout: {name: grid, columns: 30000, rows: 30000, dx: 1 m, dy: 1 m}}\nrun: {t_end: 1 s}\n',
      'saltus: 1\nchain: {beads: 2000000000, radius: 1 mm, material: steel}\nrun: {t_end: 1 s}\n',
      `saltus: 1\nparameters:\n  a: ${'('.repeat(100_000)}1${')'.repeat(100_000)}\n`,
      `saltus: 1\ntitle: "${'x'.repeat(3_000_000)}"\n`,
    ];
    for (const text of scenes) {
      await setText(page, text);
      await answers(page, 3000);
      const before = Date.now();
      while (await page.evaluate(() => !window.saltusLab.good() && document.querySelectorAll('#errors li').length === 0)) {
        assert.ok(Date.now() - before < 20_000, `no word about ${text.slice(0, 60)}`);
        await page.waitForTimeout(50);
      }
      await answers(page);
    }
    await setText(page, 'saltus: 1\ncoordinates:\n  z: {start: 1 m}\nmass: {z: 1 kg}\nforces: {z: -9.81 N}\nrun: {t_end: 1 s}\n');
    await until(page, () => window.saltusLab.good());
    await page.locator(id('run')).click();
    await finished(page);
    await page.close();
    assert.deepEqual(errors, []);
  },
  async 'stops a run by tolerance that never ends, and one that fills the memory'() {
    const {page, errors} = await openPage(context, address);
    await finished(page);
    const ball = run => `saltus: 1\ncoordinates:\n  z: {start: 1 m}\nmass: {z: 1 kg}\nforces: {z: -9.81 N}\ncontacts:\n  floor: {gap: z, law: {name: unilateral, e: 1}}\nrun: ${run}\n`;
    for (const run of ['{t_end: 1e9 s}', '{t_end: 1e9 s, h: 1e-6 s}', '{t_end: 1e300 s, rtol: 1e-12}']) {
      await setText(page, ball(run));
      await until(page, () => window.saltusLab.good());
      await page.locator(id('run')).click();
      await page.waitForTimeout(1500);
      await answers(page);
      await page.locator(id('stop')).click({timeout: 2000}).catch(() => {});  // it may have ended with a message
      await until(page, () => window.saltusLab.state().status !== 'running');
      assert.notEqual((await state(page)).status, 'finished', run);
    }
    await page.close();
    assert.deepEqual(errors, []);
  },
});

// How another program drives the page: controls by data-testid, keys, window.saltusLab.state(); and how people without a mouse do.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {createServer} from 'node:net';
import {basename, dirname} from 'node:path';
import {finished, openPage, seen, state, until} from './site.mjs';

const controls = ['run', 'stop', 'examples', 'editor', 'errors', 'status', 'timeline', 'play', 'view', 'plot', 'tolerance', 'share'];
// planar bodies, formulas, space, chains, an ODAE, first order, beams; SALTUS_ALL_SCENES takes every entry of the list
const kinds = ['rolling-disk', 'stick-slip', 'space/spin-bounce', 'steel-chain', 'catalog/odae-exponential', 'van-der-pol', 'beam-stop'];

/** A state as other programs rely on it. */
function isWhole(s, name) {
  assert.deepEqual(Object.keys(s).sort(), ['events', 'message', 'q', 'status', 't', 'u'], name);
  assert.equal(typeof s.message, 'string', name);
  assert.ok(Number.isFinite(s.t) && s.t > 0, `${name}: t = ${s.t}`);
  assert.ok(s.q.length > 0 && [...s.q, ...s.u].every(Number.isFinite), `${name}: q and u`);
  assert.ok(s.events.every(e => Number.isFinite(e.t) && typeof e.kind === 'string' && typeof e.contact === 'string'), `${name}: events`);
}
const ball = 'saltus: 1\ncoordinates:\n  z: {start: 1 m}\nmass: {z: 1 kg}\nforces: {z: -9.81 N}\ncontacts:\n  floor: {gap: z, law: {name: unilateral, e: 0.5}}\nrun: {t_end: 1 s}\n';
/** Other text, as somebody does who knows no more than that there is an editor. */
async function type(page, id, text) {
  await page.locator(id('editor')).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
}
const freePort = () => new Promise(done => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const {port} = server.address();
    server.close(() => done(port));
  });
});

export const drives = ({context, address, id, dist}) => ({
  async 'is driven by its controls, with every kind of example'() {
    const {page, errors} = await openPage(context, address);
    await finished(page);
    for (const name of controls) assert.equal(await page.locator(id(name)).count(), 1, name);
    const asked = await page.locator(id('examples')).evaluate(e => {  // at once, the run before is not taken for this one
      e.value = 'stairs';
      e.dispatchEvent(new Event('change'));
      return window.saltusLab.state();
    });
    assert.deepEqual(asked, {status: 'idle', message: '', t: null, q: [], u: [], events: []});
    const all = await page.locator(`${id('examples')} option`).evaluateAll(list => list.map(o => o.value).filter(Boolean));
    for (const name of kinds) assert.ok(all.includes(name), `${name} is in the list`);
    for (const name of process.env.SALTUS_ALL_SCENES ? all : kinds) {
      const begin = Date.now();
      await page.locator(id('examples')).selectOption(name);
      await until(page, () => !['idle', 'running'].includes(window.saltusLab.state().status), null, {timeout: 180_000});
      const s = await state(page);
      assert.equal(s.status, 'finished', `${name}: ${s.message}`);
      isWhole(s, name);
      assert.ok(await page.evaluate(() => window.saltusLab.frames()) > 1, `${name}: frames`);
      assert.ok((await seen(page)).part > 0, `${name}: something is drawn`);
      assert.ok(await page.locator(`${id('plot')} canvas`).count() === 1, `${name}: a plot`);
      if (process.env.SALTUS_ALL_SCENES) console.log(`    ${name} ${Date.now() - begin} ms`);
    }
    await page.close();
    assert.deepEqual(errors, []);
  },
  async 'takes text as it is typed, tells the line of an error, and runs what was mended'() {
    const {page, errors} = await openPage(context, address);
    await finished(page);
    await type(page, id, ball.replace('z: -9.81', 'zz: -9.81'));
    await page.waitForSelector(`${id('errors')} li`);
    assert.match(await page.locator(id('errors')).innerText(), /line 5/);
    await page.locator(id('run')).click();
    await until(page, () => window.saltusLab.state().status === 'failed');
    assert.match((await state(page)).message, /zz/);
    await type(page, id, ball);
    await until(page, () => document.querySelectorAll('[data-testid=errors] li').length === 0);
    await page.locator(id('run')).click();
    await finished(page);
    assert.equal(await page.locator(id('errors')).innerText(), '');
    await page.locator('.cm-content').fill(ball.replace('1 s', '0.25 s'));
    await page.keyboard.press('Control+Enter');
    await until(page, () => window.saltusLab.state().t === 0.25);
    await page.close();
    assert.deepEqual(errors, []);
  },
  async 'has a timeline and a tolerance that are filled like other sliders'() {
    const {page, errors} = await openPage(context, `${address}#example=stairs`);
    await finished(page);
    const timeline = page.locator(id('timeline')), frame = () => page.locator(id('view')).getAttribute('data-frame').then(Number);
    const [low, high] = await timeline.evaluate(e => [Number(e.min), Number(e.max)]);
    await timeline.fill(String((low + high) / 2));
    const half = await frame();
    assert.ok(half > 10, `frame ${half}`);
    assert.match(await page.locator('#clock').innerText(), new RegExp(String((low + high) / 2).slice(0, 3)));
    await timeline.press('ArrowRight');
    assert.equal(await frame(), half + 1);
    await timeline.press('Home');
    assert.equal(await frame(), 0);
    const before = await state(page);
    await page.locator(id('tolerance')).fill('9');  // asked for at once: nobody reads the run before
    await finished(page);
    const after = await state(page), away = Math.max(...after.q.map((x, i) => Math.abs(x - before.q[i])));
    assert.ok(away > 0 && away < 1e-3, `another tolerance, another last digit: ${away}`);
    // what was chosen goes with the link
    await page.locator(id('share')).click();
    await until(page, () => location.hash.startsWith('#s='));
    const link = page.url();
    await page.close();
    const again = await openPage(context, link);
    await until(again.page, () => window.saltusLab?.good());
    await again.page.locator(id('run')).click();
    await finished(again.page);
    assert.deepEqual((await state(again.page)).q, after.q);
    await again.page.locator('#method').selectOption('moreau-jean');
    await finished(again.page);
    const byStep = (await state(again.page)).q;
    await again.page.locator(id('share')).click();
    await again.page.waitForTimeout(100);
    const second = await openPage(context, again.page.url());
    await until(second.page, () => window.saltusLab?.good());
    await second.page.locator(id('run')).click();
    await finished(second.page);
    assert.deepEqual((await state(second.page)).q, byStep);
    // another example runs as it says
    await second.page.locator(id('examples')).selectOption('rolling-disk');
    assert.equal(await second.page.locator('#method').inputValue(), '');
    for (const p of [again, second]) {
      await p.page.close();
      errors.push(...p.errors);
    }
    assert.deepEqual(errors, []);
  },
  async 'is reached by keys alone, and moves nothing by itself'() {
    const {page, errors} = await openPage(context, `${address}#example=bouncing-ball`);
    await page.emulateMedia({reducedMotion: 'reduce'});
    await finished(page);
    const frame = await page.locator(id('view')).getAttribute('data-frame');
    const reached = new Set();
    for (let k = 0; k < 60; ++k) {
      await page.keyboard.press('Tab');
      const at = await page.evaluate(() => document.activeElement.closest('#editor') ? 'editor' : document.activeElement.id || document.activeElement.tagName);
      if (at === 'editor') await page.keyboard.press('Escape');  // Tab indents; after Escape it leads on
      reached.add(at);
    }
    for (const name of ['examples', 'run', 'open', 'share', 'theme', 'editor', 'method', 'tolerance', 'converge', 'keep', 'view', 'follow', 'fit', 'play', 'next-event', 'speed', 'timeline', 'plot-what', 'plot-over', 'section', 'svg'])
      assert.ok(reached.has(name), `${name} is reached by Tab; reached: ${[...reached].join(' ')}`);
    assert.equal(await page.locator(id('view')).getAttribute('data-frame'), frame, 'nothing has played by itself');
    await page.close();
    assert.deepEqual(errors, []);
  },
  async 'works from a plain static server, below any path'() {
    const port = await freePort();
    const server = spawn('python3', ['-m', 'http.server', String(port), '--bind', '127.0.0.1', '--directory', dirname(dist)], {stdio: 'ignore'});
    try {
      const there = `http://127.0.0.1:${port}/${basename(dist)}/`;
      for (let k = 0; k < 100 && !await fetch(there).catch(() => null); ++k) await new Promise(done => setTimeout(done, 50));
      const {page, errors} = await openPage(context, there);
      await finished(page);
      await page.goto(`${there}gallery.html`);
      assert.ok(await page.locator('.card').count() >= 16);
      await page.locator('.card').nth(2).click();
      await finished(page);
      await page.close();
      assert.deepEqual(errors, []);
    } finally {
      server.kill();
    }
  },
});

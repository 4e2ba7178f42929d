// The built page on this machine, and a browser for it.
import {createServer} from 'node:http';
import {existsSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, extname, join, normalize, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {chromium} from 'playwright-core';

export const web = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
export const root = resolve(web, '..');
const types = {'.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm', '.png': 'image/png'};

/** Serves a folder below a path that is not the root, so that only relative addresses work. */
export function serve(folder, extra = {}) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://x').pathname);
    const inside = path.startsWith('/some/where/') ? path.slice('/some/where/'.length) || 'index.html' : null;
    const file = inside === null ? null : extra[inside] ?? join(folder, normalize(inside));
    if (!file || !file.startsWith(extra[inside] ? '' : folder) || !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {'Content-Type': types[extname(file)] ?? 'application/octet-stream'}).end(readFileSync(file));
  });
  return new Promise(done => server.listen(0, '127.0.0.1', () => done({server, address: `http://127.0.0.1:${server.address().port}/some/where/`})));
}

export async function browser() {
  const executablePath = process.env.SALTUS_CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
  if (!executablePath) throw new Error('no chromium is installed (Debian: chromium)');
  const profile = mkdtempSync(join(tmpdir(), 'saltus-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath, headless: true, viewport: {width: 1280, height: 860}, acceptDownloads: true,
    args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
      '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  });
  return {context, close: async () => {
    await context.close();
    rmSync(profile, {recursive: true, force: true});
  }};
}

/** A page that remembers what goes wrong on it. */
export async function openPage(context, address, options = {}) {
  const page = await context.newPage();
  const errors = [];
  page.on('console', m => {
    if (m.type() === 'error' || (m.type() === 'warning' && /Content Security|CSP/.test(m.text()))) errors.push(m.text());
  });
  page.on('pageerror', e => errors.push(String(e)));
  page.on('dialog', d => {
    errors.push(`dialog: ${d.message()}`);
    void d.dismiss();
  });
  page.on('request', r => {
    if (!r.url().startsWith(new URL(address).origin) && !/^(data|blob):/.test(r.url())) errors.push(`request to ${r.url()}`);
  });
  if (options.viewport) await page.setViewportSize(options.viewport);
  if (options.dark !== undefined) await page.emulateMedia({colorScheme: options.dark ? 'dark' : 'light'});
  await page.goto(address);
  return {page, errors};
}
/** Asks again and again whether `test` holds on the page; playwright's own waiting needs eval, which the page's policy forbids. */
export async function until(page, test, argument = null, {timeout = 30_000} = {}) {
  for (const begin = Date.now();;) {
    if (await page.evaluate(test, argument)) return;
    if (Date.now() - begin > timeout) throw new Error(`${timeout} ms passed without ${test}: "${await page.locator('#status').innerText()}"`);
    await page.waitForTimeout(30);
  }
}
export const finished = (page, status = 'finished') => until(page, s => window.saltusLab?.state().status === s, status, {timeout: 60_000});
export const state = page => page.evaluate(() => window.saltusLab.state());
/** How much of the view is drawn, and a number that changes with the picture. */
export const seen = page => page.evaluate(() => {
  const from = document.querySelector('#view canvas'), c = document.createElement('canvas');
  [c.width, c.height] = [200, 120];
  const g = c.getContext('2d');
  g.drawImage(from, 0, 0, c.width, c.height);
  const d = g.getImageData(0, 0, c.width, c.height).data;
  let drawn = 0, mark = 0;
  for (let i = 0; i < d.length; i += 4) {
    if (d[i + 3] > 0) ++drawn;
    mark = (mark * 31 + d[i] + 256 * d[i + 1] + 65536 * d[i + 2]) % 4294967291;
  }
  return {part: drawn / (c.width * c.height), mark};
});
/** What the script of each frame of the page costs while it plays, in ms, increasing: CPU time of its thread, which other work on
    the machine and the renderer's process do not add to, and time of the clock. */
export async function framesOf(context, page, milliseconds, start) {
  const session = await context.newCDPSession(page), events = [];
  session.on('Tracing.dataCollected', e => events.push(...e.value));
  await session.send('Tracing.start', {transferMode: 'ReportEvents', traceConfig: {includedCategories: ['devtools.timeline']}});
  await start();
  await page.waitForTimeout(milliseconds);
  const complete = new Promise(done => session.once('Tracing.tracingComplete', done));
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  const frames = events.filter(e => e.name === 'FireAnimationFrame' && Number.isFinite(e.tdur));
  const sorted = key => frames.map(e => e[key] / 1000).sort((a, b) => a - b);
  return {script: sorted('tdur'), wall: sorted('dur')};
}
export const spread = x => `median ${x[x.length >> 1].toFixed(2)}, 95 % ${x[Math.floor(0.95 * x.length)].toFixed(2)}, largest ${x[x.length - 1].toFixed(2)}`;

import {describe, expect, it} from 'vitest';
import {exampleOf, fromFragment, toFragment} from '../../src/share';
import {sceneNames, sceneText} from './module';

async function deflated(text: string): Promise<string> {
  const s = new CompressionStream('deflate'), w = s.writable.getWriter();
  void w.write(new TextEncoder().encode(text));
  void w.close();
  const bytes = new Uint8Array(await new Response(s.readable).arrayBuffer());
  return '#s=' + Buffer.from(bytes).toString('base64url');
}

describe('share links', () => {
  it('hold every example in at most 2000 characters and give it back', async () => {
    for (const name of sceneNames) {
      for (const shared of [{scene: sceneText(name), rtol: '1e-7'}, {scene: sceneText(name), scheme: 'moreau-jean', h: '0.002'}]) {
        const link = await toFragment(shared);
        expect(link.length, name).toBeLessThan(2000);
        expect(await fromFragment(link)).toEqual(shared);
      }
    }
  });
  it('keep any text, with quotes, umlauts and script', async () => {
    const scene = 'title: "<script>alert(1)</script> ä 中 \u0000"';
    expect((await fromFragment(await toFragment({scene})))?.scene).toBe(scene);
  });
  it('are refused when damaged, too large, or of another kind', async () => {
    for (const bad of ['#s=', '#s=%%%', '#s=AAAA', '#s=' + 'A'.repeat(100), await deflated('{"scene": 3}'), await deflated('[]'), await deflated('null'), await deflated('{"scene": "a", "rtol": [1]}'), await deflated('{"scene": "a", "h": {}}')])
      await expect(fromFragment(bad), bad.slice(0, 30)).rejects.toThrow(/link/);
    const bomb = await deflated(JSON.stringify({scene: ' '.repeat(50_000_000)}));
    expect(bomb.length).toBeLessThan(100_000);
    await expect(fromFragment(bomb)).rejects.toThrow(/too much/);
  });
  it('name an example with parameters', () => {
    expect(exampleOf('#example=catalog/drum')).toEqual({name: 'catalog/drum', values: []});
    expect(exampleOf('#example=ball&p=e=0.8&p=m=-2e-3')).toEqual({name: 'ball', values: [['e', 0.8], ['m', -0.002]]});
    for (const bad of ['', '#example=', '#example=a&p=e=x', '#example=a&q=1', '#example=<b>']) expect(exampleOf(bad), bad).toBeNull();
  });
  it('are not looked for elsewhere', async () => {
    expect(await fromFragment('')).toBeNull();
    expect(await fromFragment('#example=drum')).toBeNull();
  });
});

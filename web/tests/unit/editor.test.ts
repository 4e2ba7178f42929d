import {describe, expect, it} from 'vitest';
import {complete, placeOf, type Schema} from '../../src/complete';
import {numberOf, readyNames, withNumber} from '../../src/parameters';
import {sceneNames, sceneText} from './module';

const schema: Schema = {
  properties: {
    title: {type: 'string', description: 'one line'},
    run: {properties: {
      t_end: {type: ['string', 'number'], description: 'end time [s]'},
      estimate: {type: 'boolean'},
      scheme: {anyOf: [{properties: {name: {const: 'moreau-jean'}, theta: {description: 'weight'}}, description: 'a scheme'}, {type: 'string'}]},
    }},
    bodies: {additionalProperties: {properties: {shape: {type: 'string', description: 'disk, box (with corners) or polygon; more words'}, mass: {description: 'mass [kg]'},
      material: {type: 'string', description: 'a name of `materials`'}, on: {type: 'string', description: 'another body; the ground when left out'}}}},
  },
};
const at = (text: string) => complete(schema, placeOf(text)).map(o => o.label);

describe('completion', () => {
  it('offers fields of the file, of sections and of named entries', () => {
    expect(at('')).toEqual(['title', 'run', 'bodies']);
    expect(at('title: x\n')).toEqual(['run', 'bodies']);
    expect(at('run:\n  ')).toEqual(['t_end', 'estimate', 'scheme']);
    expect(at('run:\n  t_end: 1\n  ')).toEqual(['estimate', 'scheme']);
    expect(at('bodies:\n  ball:\n    ')).toEqual(['shape', 'mass', 'material', 'on']);
    expect(at('bodies:\n  ball: {shape: disk, ')).toEqual(['mass', 'material', 'on']);
    expect(at('run: {')).toEqual(['t_end', 'estimate', 'scheme']);
  });
  it('offers choices, flags and units as values', () => {
    expect(at('run:\n  scheme: ')).toContain('moreau-jean');
    expect(at('run: {scheme: {name: ')).toContain('moreau-jean');
    expect(at('run: {scheme: {name: moreau-jean, ')).toEqual(['theta']);
    expect(at('run: {estimate: ')).toEqual(['true', 'false']);
    expect(at('run: {t_end: 2')).toContain('2 ms');
    expect(at('bodies:\n  ball:\n    mass: 3')).toContain('3 kg');
  });
  it('offers words that a description lists, and names that stand elsewhere in the text', () => {
    expect(at('bodies:\n  ball: {shape: ')).toEqual(['disk', 'box', 'polygon']);
    expect(at('materials:\n  steel: {}\n  rubber: {}\nbodies:\n  ball: {material: ')).toEqual(['steel', 'rubber']);
    expect(at('bodies:\n  ball: {shape: disk}\n  hook:\n    on: ')).toEqual(['ball', 'hook']);
    expect(at('title: ')).toEqual([]);
  });
});

describe('sliders', () => {
  const text = 'saltus: 1\nparameters:\n  m: 1 kg     # mass\n  e: 0.5\n  k: 2*m\n  n: -3e-2\nrun: {m: 7}\n';
  it('read plain numbers with units and nothing else', () => {
    expect(numberOf(text, 'm')).toEqual({value: 1, unit: 'kg'});
    expect(numberOf(text, 'n')).toEqual({value: -0.03, unit: ''});
    expect(numberOf(text, 'k')).toBeNull();
    expect(numberOf(text, 'x')).toBeNull();
  });
  it('change one number and keep the rest of the text', () => {
    expect(withNumber(text, 'm', 2.5)).toBe(text.replace('m: 1 kg', 'm: 2.5 kg'));
    expect(withNumber('parameters: {mu: 1, e: 0.2}\n', 'e', 0.75)).toBe('parameters: {mu: 1, e: 0.75}\n');
  });
  it('are there for the parameters of a ready problem', () => {
    const ready = 'saltus: 1\nready:\n  problem: shaker\n  parameters:\n    n: 4    # balls\n    e: 0.5\nrun: {t_end: 1}\n';
    expect(readyNames(ready)).toEqual(['n', 'e']);
    expect(numberOf(ready, 'e')).toEqual({value: 0.5, unit: ''});
    expect(numberOf(ready, 't_end')).toBeNull();
    expect(withNumber(ready, 'n', 6)).toBe(ready.replace('n: 4', 'n: 6'));
    expect(readyNames(text)).toEqual([]);
  });
  it('leave every example as it is when a value is set to itself', () => {
    for (const name of sceneNames) {
      const scene = sceneText(name);
      for (const [, key] of scene.matchAll(/^ {2}(\w+):/gm)) {
        const old = numberOf(scene, key);
        if (old) expect(numberOf(withNumber(scene, key, old.value), key), `${name} ${key}`).toEqual({value: Number(old.value.toPrecision(4)), unit: old.unit});
      }
    }
  });
});

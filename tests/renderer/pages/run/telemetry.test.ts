import { describe, expect, test } from 'vitest';
import { parseAdaptiveAction, parseMetrics } from '#renderer/pages/run/telemetry.ts';

describe('parseMetrics', () => {
  test('takes the finite numbers by name', () => {
    const json =
      '{"best":6.0,"entropy":4.02,"family":"binary","nested":{"a":1},"gap":null,"big":1e999}';
    expect(parseMetrics(3, json)).toEqual({ iteration: 3, metrics: { best: 6, entropy: 4.02 } });
  });

  test('takes an iteration beyond 2^53 that comes as text', () => {
    expect(parseMetrics('9007199254740993', null).iteration).toBe(9007199254740992);
  });

  test('has no metrics for null, malformed JSON and JSON of another shape', () => {
    for (const json of [null, '', '{"best":', '[1,2]', '7', 'null']) {
      expect(parseMetrics(0, json).metrics).toEqual({});
    }
  });
});

describe('parseAdaptiveAction', () => {
  test('reads iteration, trigger, action and reason', () => {
    const json =
      '{"runId":"a","iteration":3,"action":{"trigger":"entropy_collapse","actionType":"exploration_boost","reason":"too early","details":{}}}';
    expect(parseAdaptiveAction(json)).toEqual({
      iteration: 3,
      trigger: 'entropy_collapse',
      actionType: 'exploration_boost',
      reason: 'too early',
    });
  });

  test('leaves what is missing or of another type empty', () => {
    expect(parseAdaptiveAction('{"iteration":3,"action":{"trigger":7}}')).toEqual({
      iteration: 3,
      trigger: '',
      actionType: '',
      reason: '',
    });
    expect(parseAdaptiveAction('{"iteration":3,"action":"boost"}')?.actionType).toBe('');
  });

  test('is null when the payload names no iteration', () => {
    for (const json of ['{"action":{}}', '{"iteration":"3"}', '{"iteration":', '[]', 'null']) {
      expect(parseAdaptiveAction(json)).toBeNull();
    }
  });
});

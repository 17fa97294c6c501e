import { describe, expect, test } from 'vitest';
import { parseRunView } from '#renderer/pages/run/run-view.ts';

const plain = parseRunView({});

describe('parseRunView', () => {
  test('shows the fitness over iterations on linear axes when the address says nothing', () => {
    expect(plain).toEqual({
      tab: 'fitness',
      progressAxis: 'iteration',
      scales: { x: 'linear', y: 'linear' },
      openIteration: undefined,
      isTelemetryShown: false,
      eventType: undefined,
      eventSearch: '',
      eventPage: 1,
      eventPageSize: 25,
      configFormat: 'yaml',
      paramSearch: '',
    });
  });

  test('reads every choice that an address carries', () => {
    const search = {
      tab: 'events',
      by: 'evaluations',
      x: 'log',
      y: 'log',
      iteration: '12',
      telemetry: 'shown',
      type: 'run_started',
      q: 'entropy',
      page: '3',
      size: '100',
      format: 'json',
      find: 'elitism',
    };
    expect(parseRunView(search)).toEqual({
      tab: 'events',
      progressAxis: 'evaluations',
      scales: { x: 'log', y: 'log' },
      openIteration: 12,
      isTelemetryShown: true,
      eventType: 'run_started',
      eventSearch: 'entropy',
      eventPage: 3,
      eventPageSize: 100,
      configFormat: 'json',
      paramSearch: 'elitism',
    });
  });

  test('takes what it does not understand as not said', () => {
    const search = {
      tab: 'diversity',
      by: 'time',
      x: 'LOG',
      iteration: '-3',
      type: '',
      q: ['a', 'b'],
      page: '0',
      size: '26',
      format: 'xml',
    };
    expect(parseRunView(search)).toEqual(plain);
  });
});

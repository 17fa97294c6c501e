import { randomUUID } from 'node:crypto';
import {
  maximumRecords,
  type RecordCode,
  type RecordLine,
  recordLine,
  type RecordResponse,
} from '#shared/schemas/recording.ts';
import { reviveIntegers } from '#server/domain/config.ts';
import { parseValue, ProblemError } from '#server/errors.ts';
import { experimentStateType, runStateType } from '#server/repositories/mlflow.ts';
import { findTextFault, maximumDepth } from './faults.ts';

/** A record with the number of its line, from 1. */
export interface Line<Kind extends RecordLine['type'] = RecordLine['type']> {
  line: number;
  record: Extract<RecordLine, { type: Kind }>;
}

/** The results of the processed lines. */
export type Outcome = Omit<RecordResponse, 'stop'>;

/**
 * Returns the valid records of a text with one JSON object per line, in order. Skips blank lines. Adds the rejections
 * of invalid lines and the ids of the valid `run` records to `outcome`. A `run` record without an id gets a random one.
 * Throws PAYLOAD_TOO_LARGE for more than {@link maximumRecords} lines that are not blank.
 */
export function readLines(text: string, outcome: Outcome): Line[] {
  let count = 0;
  return text.split('\n').flatMap((lineText, index): Line[] => {
    if (lineText.trim() === '') return [];
    const line = index + 1;
    if ((count += 1) > maximumRecords) throw makeTooManyRecordsError();
    const result = readLine(lineText);
    if ('code' in result) {
      outcome.rejected.push({ line, ...result });
      return [];
    }
    if (result.record.type === 'run') {
      result.record.runId ??= randomUUID();
      outcome.runIds.push(result.record.runId);
    }
    return [{ line, record: result.record }];
  });
}

function makeTooManyRecordsError(): ProblemError {
  return new ProblemError(
    'PAYLOAD_TOO_LARGE',
    `The service stored nothing, because the request has more than ${maximumRecords} records. Send fewer at a time.`,
  );
}

/** Types of the events in which the service stores the runs and experiments of clients of MLflow. */
const reservedEventTypes: ReadonlySet<string> = new Set([runStateType, experimentStateType]);

function makeReservedMessage(type: string): string {
  return `eventType must not be ${type}, which the service uses: choose another type`;
}

function readLine(
  lineText: string,
): { record: RecordLine } | { code: RecordCode; message: string } {
  let value: unknown;
  try {
    value = JSON.parse(lineText, reviveIntegers);
  } catch (error) {
    // JSON.parse throws a RangeError if the nesting is too deep for the recursion of its reviver.
    const isTooDeep = error instanceof RangeError;
    const message = isTooDeep
      ? `The line must have at most ${maximumDepth} levels of nesting`
      : 'The line is not JSON: send one JSON object per line';
    return { code: 'MALFORMED_JSON', message };
  }
  const fault = findTextFault(value);
  if (fault) return makeRejection(fault.path, fault.message);
  const result = parseValue(recordLine, value);
  if ('data' in result) {
    const record = result.data;
    return record.type === 'event' && reservedEventTypes.has(record.eventType)
      ? { code: 'VALIDATION_FAILED', message: makeReservedMessage(record.eventType) }
      : { record };
  }
  const [issue] = result.issues;
  return makeRejection(issue?.path.join('.') ?? '', issue?.message ?? 'is not valid');
}

function makeRejection(path: string, message: string) {
  return { code: 'VALIDATION_FAILED' as const, message: `${path || 'The record'} ${message}` };
}

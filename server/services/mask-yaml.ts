import {
  isSecretScalar,
  maskedValue,
  maskUrls,
  mayHoldSecret,
  secrecyOfKey,
  secretWordPattern,
  type Secrecy,
} from './secret-words.ts';

const quotedMask = `"${maskedValue}"`;
const entry = /^(\s*(?:- +)*)("[^"]*"|'[^']*'|[^\s"'#:{[,][^:]*?)(\s*:)(?:\s+(.*?))?$/;
const flowEntry = new RegExp(
  `(["']?[\\w.-]*(?:${secretWordPattern})[\\w.-]*["']?\\s*:\\s*)("[^"]*"?|'[^']*'?|[^\\s,}\\]"'][^,}\\]]*)`,
  'gi',
);

/** A secret key whose value goes on over the lines below it that are indented further than `indent`. */
interface OpenSecret {
  indent: number;
  secrecy: Secrecy;
  /** Whether those lines are one text, which goes, or entries, whose values are hidden. */
  isText: boolean;
}

/**
 * A YAML text with its secrets hidden and every other line as it was, malformed ones too: values under
 * secret keys become `"***"`, whether plain, quoted, block text, nested or in a flow map, and credentials
 * in URLs go. Null stays null.
 */
export function maskYaml<Text extends string | null>(text: Text): Text | string {
  if (text === null || !mayHoldSecret(text)) return text;
  let open: OpenSecret | null = null;
  const kept: string[] = [];
  for (const line of text.split('\n')) {
    if (open && !isInside(line, open)) open = null;
    const result: MaskedLine = open ? maskNested(line, open) : maskLine(line);
    if (result.line !== null) kept.push(result.line);
    open = open ?? result.opens;
  }
  return kept.join('\n');
}

interface MaskedLine {
  line: string | null;
  opens: OpenSecret | null;
}

function isInside(line: string, open: OpenSecret): boolean {
  if (line.trim() === '') return true;
  const indent = line.length - line.trimStart().length;
  return indent > open.indent || (!open.isText && indent === open.indent && /^\s*-/.test(line));
}

function maskNested(line: string, open: OpenSecret): MaskedLine {
  if (open.isText) return { line: null, opens: null };
  const match = /^(\s*(?:- +)*(?:(?:"[^"]*"|'[^']*'|[^\s"'#:][^:]*?)\s*:(?=\s|$))?\s*)(.*)$/.exec(
    line,
  );
  const [, head = '', value = ''] = match ?? [];
  const isSecret = isSecretScalar(plainText(value), open.secrecy);
  return { line: isSecret ? `${head}${quotedMask}` : line, opens: null };
}

function maskLine(line: string): MaskedLine {
  const match = entry.exec(line.replace(/\r$/, ''));
  const [, lead = '', key = '', colon = '', value = ''] = match ?? [];
  const secrecy = match ? secrecyOfKey(plainText(key)) : 'none';
  if (secrecy === 'none') return { line: maskWithinLine(line), opens: null };
  const indent = lead.length;
  if (/^(?:[&!]\S+\s*)*(?:#.*)?$/.test(value)) {
    return { line, opens: { indent, secrecy, isText: false } };
  }
  if (!isSecretScalar(plainText(value.replace(/[,}\]\s]+$/, '')), secrecy)) {
    return { line, opens: null };
  }
  const tail = /^["'{[]/.test(value) ? (/[^"']*$/.exec(value)?.[0] ?? '') : '';
  const comma = /,\s*$/.test(/^[{[]/.test(value) ? '' : tail || value) ? ',' : '';
  return {
    line: `${lead}${key}${colon} ${quotedMask}${comma}`,
    opens: { indent, secrecy, isText: true },
  };
}

function maskWithinLine(line: string): string {
  const withoutFlow = /[{"']/.test(line)
    ? line.replace(flowEntry, (whole: string, key: string, value: string) => {
        const name = plainText(key.replace(/\s*:\s*$/, ''));
        return isSecretScalar(plainText(value), secrecyOfKey(name)) ? `${key}${quotedMask}` : whole;
      })
    : line;
  return maskUrls(withoutFlow);
}

function plainText(written: string): string {
  return written.trim().replace(/^(["'])(.*)\1$/, '$2');
}

import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Result of compiling a fragment in a document that loads `booktabs`, `graphicx` and `longtable`. */
export interface Compilation {
  isSuccessful: boolean;
  /** The output of pdflatex, which reports overfull boxes and similar problems. */
  log: string;
  pages: number;
}

/** Compiles a fragment with pdflatex, which must be installed. Copies the PDF to `pdfFile` if there is one. */
export function compileLatex(
  fragment: string,
  { preamble = '', pdfFile }: { preamble?: string; pdfFile?: string | undefined } = {},
): Compilation {
  const directory = mkdtempSync(join(tmpdir(), 'evoscope-latex-'));
  try {
    const document = `\\documentclass{article}\n\\usepackage{booktabs,graphicx,longtable}\n${preamble}\n\\begin{document}\n${fragment}\n\\end{document}\n`;
    writeFileSync(join(directory, 'test.tex'), document);
    const flags = ['-interaction=nonstopmode', '-halt-on-error', '-no-shell-escape', 'test.tex'];
    const { status } = spawnSync('pdflatex', flags, { cwd: directory });
    // Without the condition, the copy would throw and hide the log.
    if (pdfFile !== undefined && status === 0) copyFileSync(join(directory, 'test.pdf'), pdfFile);
    const logFile = join(directory, 'test.log');
    const log = existsSync(logFile) ? readFileSync(logFile, 'utf8') : '';
    const pages = Number(/Output written on test\.pdf \((\d+) page/.exec(log)?.[1] ?? 0);
    return { isSuccessful: status === 0, log, pages };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

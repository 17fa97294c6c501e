import { spawnSync } from 'node:child_process';

/** Returns whether this machine can compile a document that loads `booktabs`. */
export function hasLatex(): boolean {
  const results = [spawnSync('pdflatex', ['--version']), spawnSync('kpsewhich', ['booktabs.sty'])];
  return results.every(({ status }) => status === 0);
}

/** Returns whether this machine can compile a document that also loads `pgfplots`. */
export function hasPgfplots(): boolean {
  return hasLatex() && spawnSync('kpsewhich', ['pgfplots.sty']).status === 0;
}

/**
 * Installs pdflatex, `booktabs` and `pgfplots` with apt-get if one is missing and this process runs as root. If one is
 * still missing, reports that the gate skips the tests that need it.
 */
export function ensureLatex(): void {
  if (hasPgfplots()) return;
  if (process.getuid?.() === 0) {
    process.stderr.write('Trying to install LaTeX with booktabs and pgfplots\n');
    runAptGet('update', '-qq');
    const packages = ['texlive-latex-recommended', 'texlive-pictures'];
    runAptGet('install', '-y', '-qq', '--no-install-recommends', ...packages);
  }
  if (hasPgfplots()) return;
  process.stderr.write(
    'LaTeX with booktabs and pgfplots is missing, so the gate skips tests that need it. Install pdflatex, booktabs and pgfplots to run them.\n',
  );
}

function runAptGet(...args: string[]): void {
  spawnSync('apt-get', args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 600_000,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}

import { spawnSync } from 'node:child_process';

/** Whether this machine can compile a document that loads `booktabs`. */
export function hasLatex(): boolean {
  const programs = [spawnSync('pdflatex', ['--version']), spawnSync('kpsewhich', ['booktabs.sty'])];
  return programs.every(({ status }) => status === 0);
}

/** Whether it can compile one that loads `pgfplots` too. */
export function hasPgfplots(): boolean {
  return hasLatex() && spawnSync('kpsewhich', ['pgfplots.sty']).status === 0;
}

/**
 * Installs a small LaTeX when there is none, by Debian's package manager when running as root. Says so when
 * that is not possible: the tests that compile are then skipped.
 */
export function ensureLatex(): void {
  if (hasPgfplots()) return;
  process.stderr.write('No LaTeX with pgfplots found: trying to install one\n');
  if (process.getuid?.() === 0) {
    aptGet('update', '-qq');
    const packages = ['texlive-latex-recommended', 'texlive-pictures'];
    aptGet('install', '-y', '-qq', '--no-install-recommends', ...packages);
  }
  if (hasPgfplots()) return;
  process.stderr.write(
    'No LaTeX could be installed: tests that compile tables or plots are skipped. Install pdflatex and pgfplots to run them.\n',
  );
}

function aptGet(...parameters: string[]): void {
  spawnSync('apt-get', parameters, {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 600_000,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}

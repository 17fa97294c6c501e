import { spawnSync } from 'node:child_process';

/** Returns whether this machine can compile a document that loads `booktabs`. */
export function hasLatex(): boolean {
  const programs = [spawnSync('pdflatex', ['--version']), spawnSync('kpsewhich', ['booktabs.sty'])];
  return programs.every(({ status }) => status === 0);
}

/** Returns whether this machine can compile a document that also loads `pgfplots`. */
export function hasPgfplots(): boolean {
  return hasLatex() && spawnSync('kpsewhich', ['pgfplots.sty']).status === 0;
}

/**
 * Installs a small LaTeX if there is none and this process runs as root on Debian. If there is still none, reports that
 * the tests that compile LaTeX are skipped.
 */
export function ensureLatex(): void {
  if (hasPgfplots()) return;
  process.stderr.write('No LaTeX with pgfplots found: trying to install one\n');
  if (process.getuid?.() === 0) {
    runAptGet('update', '-qq');
    const packages = ['texlive-latex-recommended', 'texlive-pictures'];
    runAptGet('install', '-y', '-qq', '--no-install-recommends', ...packages);
  }
  if (hasPgfplots()) return;
  process.stderr.write(
    'No LaTeX could be installed: tests that compile tables or plots are skipped. Install pdflatex and pgfplots to run them.\n',
  );
}

function runAptGet(...parameters: string[]): void {
  spawnSync('apt-get', parameters, {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 600_000,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}

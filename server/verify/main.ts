import { runVerifyCommand } from './command.ts';

process.exitCode = await runVerifyCommand(process.argv.slice(2), process);

import { readFileSync } from 'node:fs'
import type { CliBackend } from './cli/cli-backend.ts'
import { runCli } from './cli/run-cli.ts'
import { endWithoutReader, openProcessTerminal, tolerateClosedOutput } from './cli/terminal.ts'
import { programName, readEnvironment, readMachine } from './config/process-environment.ts'

const stop = new AbortController()
// `once`: the second signal ends the process at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(new Error(`Stopped by ${signal}.`)))
// A terminal that closes says so twice, itself and by its shell.
process.on('SIGHUP', () => stop.abort(new Error('Stopped by SIGHUP.')))

// The write of a file over the limit on its size fails instead of ending the process.
process.on('SIGXFSZ', () => {})

tolerateClosedOutput(process.argv[2] === 'serve')
process.exitCode = await runCli(process.argv.slice(2), {
  terminal: openProcessTerminal(readEnvironment()),
  environment: readEnvironment(),
  machine: readMachine(),
  loadBackend: async (): Promise<CliBackend> => (await import('./composition/cli-backend.ts')).cliBackend,
  program: programName,
  version: JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version,
  signal: stop.signal,
})
endWithoutReader()

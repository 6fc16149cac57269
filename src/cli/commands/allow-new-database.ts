import type { CommandContext } from '../command.ts'
import { printableLine } from '../printable.ts'

/**
 * Allows a command to make a new database, and says so, where the command line, the environment or the file names the data folder. By
 * default the folder is the one that a person happens to stand in: a database there would belong to no service.
 */
export function allowNewDatabase({ report, terminal }: Pick<CommandContext, 'report' | 'terminal'>): {
  readonly onCreate?: (dataFolder: string) => void
} {
  if (report.some(({ name, source }) => name === 'data' && source === 'default')) return {}
  return {
    onCreate: (dataFolder) =>
      terminal.err(`There was no database in ${printableLine(dataFolder)}; this is a new one that no running service uses.\n`),
  }
}

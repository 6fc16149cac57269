import { printableLine } from '../printable.ts'
import type { Terminal } from '../terminal.ts'

/** Says that a data folder has its database only now: whoever misspelt it would wonder why a service knows nothing of what was made. */
export function tellNewDatabase(terminal: Terminal): (dataFolder: string) => void {
  return (dataFolder) =>
    terminal.err(`There was no database in ${printableLine(dataFolder)}; this is a new one, of no service that runs elsewhere.\n`)
}

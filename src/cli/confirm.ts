import type { CommandContext } from './command.ts'
import { printableLine } from './printable.ts'
import { UsageError } from './usage-error.ts'

/** The flag of every command that destroys something. */
export const yesFlag = { name: 'yes', form: null, help: 'Do not ask.' } as const

/**
 * Asks before something is destroyed, unless `--yes` was given.
 *
 * @param unattended What to do where nobody can answer: `proceed` fits what is easily made again, and scripts do daily.
 * @throws {UsageError} when the answer is not yes, or nobody can answer and that does not do.
 */
export async function confirm(
  { flags, terminal, signal }: CommandContext,
  { warning, unattended }: { readonly warning: string; readonly unattended: 'proceed' | 'refuse' },
): Promise<void> {
  if (flags.has(yesFlag.name)) return
  const line = printableLine(warning)
  const answer = await terminal.ask(`${line} Continue? [y/N] `, { signal })
  if (answer === null && unattended === 'proceed') return
  if (answer === null) throw new UsageError([{ where: '--yes', message: `${line} Add --yes to skip this question.` }])
  if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError([{ where: 'Stopped', message: 'nothing was changed.' }])
}

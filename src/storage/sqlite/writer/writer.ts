import { ServiceError } from '../../../core/error.ts'
import { diskFull } from '../../disk-full.ts'
import type { CommandReply } from './command-group.ts'
import type { CommandInput, CommandName, CommandResult } from './commands.ts'

/** Runs commands on the writing connection; what it resolved for is on stable storage. */
export interface Writer extends AsyncDisposable {
  /** @param options.mayWait Whether it may wait a moment for others to share their commit: for what no answer waits for. */
  run<Name extends CommandName>(
    name: Name,
    input: CommandInput<Name>,
    now: number,
    options?: { readonly mayWait?: boolean },
  ): Promise<CommandResult<Name>>
}

/** SQLite's result codes for a full disk. */
const full = 13

/** The error a reply stands for, or null when it carries a result. */
export function readFailure(reply: CommandReply): Error | null {
  if ('result' in reply) return null
  if ('refusal' in reply) return new ServiceError(reply.refusal.error.code, reply.refusal.error.message, reply.refusal.options)
  const cause = new Error(reply.failure)
  return reply.sqliteCode === full ? diskFull(cause) : cause
}

import { ServiceError } from '../../../core/error.ts'
import { diskFull, unwritable } from '../../write-fault.ts'
import type { Connection } from '../connection.ts'
import { DatabaseDamage } from '../database-damage.ts'
import { type CommandReply, runGroup } from './command-group.ts'
import type { CommandInput, CommandName, CommandResult } from './commands.ts'

/** Runs commands on the writing connection; a command is on stable storage when its promise resolves. */
export interface Writer extends AsyncDisposable {
  /** @param options.mayWait Whether it may wait briefly to share a commit; for commands that no answer depends on. */
  run<Name extends CommandName>(
    name: Name,
    input: CommandInput<Name>,
    now: number,
    options?: { readonly mayWait?: boolean },
  ): Promise<CommandResult<Name>>
}

/** SQLite's primary result codes. See https://sqlite.org/rescode.html. */
const full = 13
/** Codes for a read-only database, a failing disk, and a file that cannot be opened. */
const unwritableCodes: ReadonlySet<number> = new Set([8, 10, 14])

/** The error in a reply, or null for a result. */
export function readFailure(reply: CommandReply, damage = new DatabaseDamage()): unknown {
  if ('result' in reply) return null
  if ('refusal' in reply) return new ServiceError(reply.refusal.error.code, reply.refusal.error.message, reply.refusal.options)
  if (reply.sqliteCode === null) return new Error(reply.failure)
  const cause = Object.assign(new Error(`${reply.failure} (SQLite ${reply.sqliteCode})`), { errcode: reply.sqliteCode })
  const code = reply.sqliteCode & 0xff
  if (code === full) return diskFull(cause)
  return unwritableCodes.has(code) ? unwritable(cause) : damage.name(cause)
}

/** Writes on the calling thread with one commit per command, for short-lived commands beside a running service. */
export class DirectWriter implements Writer {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async run<Name extends CommandName>(name: Name, input: CommandInput<Name>, now: number): Promise<CommandResult<Name>> {
    const [reply] = runGroup(this.#connection, [{ number: 0, name, input, now }])
    if (reply === undefined) throw new Error('The command gave no reply.')
    if (!('result' in reply)) throw readFailure(reply)
    return reply.result as CommandResult<Name>
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection[Symbol.dispose]()
  }
}

import type { Connection } from '../connection.ts'
import { runGroup } from './command-group.ts'
import type { CommandInput, CommandName, CommandResult } from './commands.ts'
import { readFailure, type Writer } from './writer.ts'

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

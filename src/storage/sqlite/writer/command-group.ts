import { ServiceError, type ServiceErrorOptions } from '../../../core/error.ts'
import { extendedCode } from '../../../core/sqlite-code.ts'
import type { Connection } from '../connection.ts'
import { type CommandName, type CommandResult, commands } from './commands.ts'

/** One command for the writing connection. */
export interface CommandRequest {
  readonly number: number
  readonly name: CommandName
  readonly input: unknown
  readonly now: number
}

/** Result of a command; plain data, because it crosses threads. */
export type CommandReply =
  | { readonly number: number; readonly result: CommandResult<CommandName> }
  | { readonly number: number; readonly refusal: { readonly error: ServiceErrorOf; readonly options: ServiceErrorOptions } }
  | { readonly number: number; readonly failure: string; readonly sqliteCode: number | null }

interface ServiceErrorOf {
  readonly code: ServiceError['code']
  readonly message: string
}

/**
 * Runs commands in one transaction with one commit. A command that throws is rolled back alone; a failed commit rolls back all. If the
 * database or its log was moved or deleted, all fail, because their writes would be lost.
 */
export function runGroup(connection: Connection, requests: readonly CommandRequest[]): readonly CommandReply[] {
  try {
    connection.run('begin immediate')
    const replies = requests.map((request) => runOne(connection, request))
    if (!connection.isInPlace()) throw gone(folderGone)
    if (!connection.isLogInPlace()) {
      saveFromLog(connection)
      throw gone(logGone)
    }
    connection.run('commit')
    return replies
  } catch (error) {
    if (connection.database.isTransaction) connection.script('rollback')
    return requests.map(({ number }) => fail(number, error))
  }
}

/** Checkpoints a deleted log, still readable while open, into the database, so that its commits survive the end of this process. */
function saveFromLog(connection: Connection): void {
  connection.script('rollback; pragma wal_checkpoint(passive)')
}

function runOne(connection: Connection, { number, name, input, now }: CommandRequest): CommandReply {
  connection.run('savepoint command')
  try {
    // The sender's types tie the input to the name; a message between threads cannot.
    const command = commands[name] as (connection: Connection, input: unknown, now: number) => CommandResult<CommandName>
    const result = command(connection, input, now)
    connection.run('release command')
    return { number, result }
  } catch (error) {
    // A full disk ends the whole transaction with all commands of the group.
    if (!connection.database.isTransaction) throw error
    connection.script('rollback to command; release command')
    return fail(number, error)
  }
}

const folderGone =
  'The data folder of the service was moved or deleted while it ran; its operator must put it back, or start the service again.'
const logGone = 'The write-ahead log of the database (-wal) was deleted while the service ran; its operator must start the service again.'

function gone(message: string): ServiceError {
  return new ServiceError('server_is_overloaded', message, { retryAfterSeconds: 30 })
}

function fail(number: number, error: unknown): CommandReply {
  if (error instanceof ServiceError) {
    const { code, message, param, retryAfterSeconds } = error
    return { number, refusal: { error: { code, message }, options: { param, retryAfterSeconds } } }
  }
  return { number, failure: error instanceof Error ? error.message : String(error), sqliteCode: extendedCode(error) }
}

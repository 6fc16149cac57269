import { setTimeout as pause } from 'node:timers/promises'
import { type CustomTypesConfig, Pool, type PoolClient, type QueryConfig, types } from 'pg'
import type { Row } from '../rows/row.ts'
import { connectionTo, explainRefusal, sessionOptions } from './connecting/connection.ts'
import { type DatabaseFault, databaseAway, judgeFault, toServiceError } from './database-fault.ts'
import { nameParameters, writeValue } from './written-sql.ts'

export type Parameters = Readonly<Record<string, unknown>>

/** What statements run on: any connection, or the one of a transaction. */
export interface Statements {
  all(sql: string, parameters?: Parameters, options?: StatementOptions): Promise<readonly Row[]>
  get(sql: string, parameters?: Parameters, options?: StatementOptions): Promise<Row | undefined>
  /** @returns The number of rows changed. */
  run(sql: string, parameters?: Parameters, options?: StatementOptions): Promise<number>
}

/** Inside a transaction, which happens all or not at all, they mean nothing. */
export interface StatementOptions {
  /** What it may take in all, with waiting for a connection and being sent again. */
  readonly limitMs?: number
  /** Whether it may be sent again though nobody knows if the first was committed; reading may, and so may what changes nothing the second time. */
  readonly repeatable?: boolean
}

/** Longest time of anything that a caller waits for; together with the authentication less than eight seconds. The server gives a statement less. */
export const limitMs = 5500
const connectLimitMs = 3000
/** How much too early a timer may end. */
const timerMs = 2
/** Part of all the time without which no other try is made: it would be cut short. */
const shortestTry = 0.1
/** Connections of one process; what comes in groups needs few. */
const connections = 8
/** A database that was away for so long is not waited for: every call then costs one attempt. */
const patienceMs = 2000

const integer64 = 20
/** What the pool says when every connection stays busy, and so do we. */
const noneFree = 'timeout exceeded when trying to connect'

/** The connections to a PostgreSQL server; nothing asked of it takes longer than eight seconds. */
export class Database implements Statements, AsyncDisposable {
  #url: string
  readonly #readAddress: () => Promise<string>
  readonly #pool: Pool
  /** Since when no connection could be had, and why not; null = one could. */
  #away: { readonly since: number; readonly refusal: unknown } | null = null
  #lastFault = Number.NEGATIVE_INFINITY

  /** @param readAddress Tells the address as it is by now, which is asked for when a connection fails; never fails. */
  constructor(url: string, readAddress: () => Promise<string> = async () => url) {
    this.#url = url
    this.#readAddress = readAddress
    this.#pool = new Pool({
      ...connectionTo(url, sessionOptions),
      max: connections,
      connectionTimeoutMillis: connectLimitMs,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      // A server that has fallen silent keeps no process from ending.
      allowExitOnIdle: true,
      application_name: 'sepia',
      types: numberTypes,
    })
    // A connection that breaks while idle is replaced by the next one; while in use its statement fails.
    this.#pool.on('error', () => this.#noteFault())
    this.#pool.on('connect', (client) => client.on('error', () => {}))
  }

  /** Lets it be calm only so long from now, as if something went wrong then. */
  unsettle(ms: number): void {
    this.#lastFault = Math.max(this.#lastFault, performance.now() + ms)
  }

  /** For how long nothing has gone wrong on the way to the server. */
  calmMs(): number {
    return performance.now() - this.#lastFault
  }

  async all(sql: string, parameters: Parameters = {}, options: StatementOptions = {}): Promise<readonly Row[]> {
    return (await this.#execute(sql, parameters, options)).rows
  }

  async get(sql: string, parameters: Parameters = {}, options: StatementOptions = {}): Promise<Row | undefined> {
    return (await this.all(sql, parameters, options))[0]
  }

  async run(sql: string, parameters: Parameters = {}, options: StatementOptions = {}): Promise<number> {
    return (await this.#execute(sql, parameters, options)).count
  }

  /** The same with nothing that outlasts a moment of the monotonic clock, however many statements follow each other. */
  until(deadline: number): Statements {
    const within = (options: StatementOptions = {}) => ({
      ...options,
      limitMs: Math.min(options.limitMs ?? limitMs, Math.max(1, deadline - performance.now())),
    })
    return {
      all: (sql, parameters, options) => this.all(sql, parameters, within(options)),
      get: (sql, parameters, options) => this.get(sql, parameters, within(options)),
      run: (sql, parameters, options) => this.run(sql, parameters, within(options)),
    }
  }

  /** Runs statements that happen all or not at all, each seeing what was committed before it. May run twice; the first is undone then. */
  async transaction<Result>(work: (statements: Statements) => Promise<Result>, options: StatementOptions = {}): Promise<Result> {
    return this.#attempt(options, async (client, deadline) => {
      const result = await workInTransaction(client, deadline, work)
      await send(client, deadline, 'commit')
      return result
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end()
  }

  #execute(sql: string, parameters: Parameters, options: StatementOptions) {
    return this.#attempt(options, (client, deadline) => send(client, deadline, sql, parameters))
  }

  async #attempt<Result>(options: StatementOptions, work: (client: PoolClient, deadline: number) => Promise<Result>): Promise<Result> {
    const { limitMs: allowedMs = limitMs } = options
    const deadline = performance.now() + allowedMs
    const lastStart = deadline - shortestTry * allowedMs
    let before: unknown
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#once(work, deadline)
      } catch (error) {
        if (!(error instanceof StatementFailure)) throw error
        const { fault } = error
        // A try that was cut short says less than the one before it.
        const isCut = before !== undefined && performance.now() >= deadline - timerMs
        const cause = isCut ? before : error.cause
        before = cause
        if (fault === 'unreached' || fault === 'unknown' || fault === 'late') this.#noteFault()
        const again = fault === 'unknown' ? options.repeatable === true : fault !== 'refused' && fault !== 'late'
        // Each connection has its own plans, and one after the other goes.
        const pauseMs = fault === 'outdated' ? 0 : Math.min(25 * 2 ** attempt, 500) * (0.5 + Math.random() / 2)
        if (!again || this.#isLongAway() || performance.now() + pauseMs >= lastStart) throw toServiceError(cause)
        await pause(pauseMs)
      }
    }
  }

  async #once<Result>(work: (client: PoolClient, deadline: number) => Promise<Result>, deadline: number): Promise<Result> {
    const client = await this.#connect(deadline)
    let broken = false
    try {
      return await work(client, deadline)
    } catch (error) {
      broken = error instanceof StatementFailure && !['refused', 'late', 'undone'].includes(error.fault)
      throw error
    } finally {
      client.release(broken)
    }
  }

  async #connect(deadline: number): Promise<PoolClient> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new Error(noneFree)), deadline - performance.now())
    const connecting = this.#pool.connect()
    try {
      const client = await Promise.race([connecting, late.promise])
      this.#away = null
      return client
    } catch (cause) {
      connecting.then((client) => client.release()).catch(() => {})
      // That all connections are busy says nothing about the server, and a try that was cut short less than the one before.
      const isCut = cause instanceof Error && cause.message === noneFree
      if (!isCut) this.#away = { since: this.#away?.since ?? performance.now(), refusal: this.#explain(cause) }
      const failure = new StatementFailure('unreached', this.#away?.refusal ?? this.#explain(cause))
      await this.#readAgain()
      throw failure
    } finally {
      clearTimeout(timer)
    }
  }

  /** For the next connection: the password may be another by now, or the server. */
  async #readAgain(): Promise<void> {
    this.#url = await this.#readAddress()
    Object.assign(this.#pool.options, connectionTo(this.#url, sessionOptions))
  }

  /** A server that lets the service in no more, whatever it has against it, is away for callers: it is its operator's to mend. */
  #explain(cause: unknown): unknown {
    const serviceError = toServiceError(cause)
    return serviceError === cause ? databaseAway(explainRefusal(cause, this.#url)) : serviceError
  }

  #noteFault(): void {
    this.unsettle(0)
  }

  #isLongAway(): boolean {
    return this.#away !== null && performance.now() - this.#away.since > patienceMs
  }
}

class StatementFailure extends Error {
  readonly fault: DatabaseFault

  constructor(fault: DatabaseFault, cause: unknown) {
    super('A statement failed.', { cause })
    this.fault = fault
  }
}

async function workInTransaction<Result>(
  client: PoolClient,
  deadline: number,
  work: (statements: Statements) => Promise<Result>,
): Promise<Result> {
  try {
    await send(client, deadline, 'begin')
    return await work(statementsOn(client, deadline))
  } catch (error) {
    // What broke off before its commit did not happen.
    if (error instanceof StatementFailure && error.fault === 'unknown') throw new StatementFailure('unreached', error.cause)
    await send(client, deadline, 'rollback')
    throw error
  }
}

function statementsOn(client: PoolClient, deadline: number): Statements {
  const all = async (sql: string, parameters: Parameters = {}) => (await send(client, deadline, sql, parameters)).rows
  return {
    all,
    get: async (sql, parameters) => (await all(sql, parameters))[0],
    run: async (sql, parameters = {}) => (await send(client, deadline, sql, parameters)).count,
  }
}

async function send(
  client: PoolClient,
  deadline: number,
  sql: string,
  parameters: Parameters = {},
): Promise<{ readonly rows: readonly Row[]; readonly count: number }> {
  const { name, text, parameters: names } = nameParameters(sql)
  const query_timeout = Math.max(1, Math.ceil(deadline - performance.now()))
  const values = names.map((each) => writeValue(parameters[each]))
  // The driver takes a time limit with each query; its types know only the one of the connection.
  const query: QueryConfig & { readonly query_timeout: number } = { name, text, values, query_timeout }
  try {
    const { rows, rowCount } = await client.query<Row>(query)
    return { rows, count: rowCount ?? 0 }
  } catch (error) {
    throw new StatementFailure(judgeFault(error), error)
  }
}

/** Integers of 64 bits become numbers, as everywhere in the service; what is stored stays below 2⁵³. */
const numberTypes: CustomTypesConfig = {
  getTypeParser: (type: number, format?: 'text' | 'binary') =>
    type === integer64 ? Number : format === 'binary' ? types.getTypeParser(type, 'binary') : types.getTypeParser(type),
}

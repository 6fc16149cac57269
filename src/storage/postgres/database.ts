import { setTimeout as pause } from 'node:timers/promises'
import { type CustomTypesConfig, Pool, type PoolClient, type QueryConfig, types } from 'pg'
import type { Row } from '../rows/row.ts'
import type { Parameters, StatementOptions, Statements } from '../tables/statements.ts'
import { connectionTo, explainRefusal, sessionOptions } from './connecting/connection.ts'
import { type DatabaseFault, databaseUnavailable, judgeFault, toServiceError } from './database-fault.ts'
import { nameParameters, writeValue } from './written-sql.ts'

/**
 * Time limit of anything a caller waits for; together with authentication less than eight seconds. The server's limit per statement is
 * lower.
 */
export const limitMs = 5500
const connectLimitMs = 3000
/** Tolerance for timers that fire early. */
const timerMs = 2
/** Share of the time limit below which no further attempt is made, since it would be cut short. */
const shortestTry = 0.1
/** Connections per process; grouped statements need few. */
const connections = 8
/** After the database was unavailable for this long, each call makes only one attempt. */
const retryLimitMs = 2000

const integer64 = 20
/** The pool's error when all connections stay busy, which this class reuses. */
const noneFree = 'timeout exceeded when trying to connect'

/** Connections to a PostgreSQL server; no operation takes longer than eight seconds. */
export class Database implements Statements, AsyncDisposable {
  #url: string
  readonly #readAddress: () => Promise<string>
  readonly #pool: Pool
  /** Start and error of the current period without connections; null = connected. */
  #away: { readonly since: number; readonly refusal: unknown } | null = null
  #lastFault = Number.NEGATIVE_INFINITY

  /** @param readAddress Returns the current address, for use when a connection fails; never fails. */
  constructor(url: string, readAddress: () => Promise<string> = async () => url) {
    this.#url = url
    this.#readAddress = readAddress
    this.#pool = new Pool({
      ...connectionTo(url, sessionOptions),
      max: connections,
      connectionTimeoutMillis: connectLimitMs,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      // A silent server must not keep the process alive.
      allowExitOnIdle: true,
      application_name: 'sepia',
      types: numberTypes,
    })
    // A connection that breaks while idle is replaced by the next one; while in use, its statement fails.
    this.#pool.on('error', () => this.#noteFault())
    this.#pool.on('connect', (client) => client.on('error', () => {}))
  }

  /** Shortens the period without faults, as if a fault had occurred `ms` from now. */
  unsettle(ms: number): void {
    this.#lastFault = Math.max(this.#lastFault, performance.now() + ms)
  }

  /** Time since the last fault on the way to the server. */
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

  /** Statements that must all finish before a deadline on the monotonic clock. */
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

  /** Runs a transaction in which each statement sees what was committed before it. May run `work` twice, after rolling back the first. */
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
        // An attempt that was cut short is less informative than the one before.
        const isCut = before !== undefined && performance.now() >= deadline - timerMs
        const cause = isCut ? before : error.cause
        before = cause
        if (fault === 'unreached' || fault === 'unknown' || fault === 'late') this.#noteFault()
        const again = fault === 'unknown' ? options.repeatable === true : fault !== 'refused' && fault !== 'late'
        // Each connection has its own plans, so replace one after the other.
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
    const timer = setTimeout(() => late.reject(new Error(noneFree)), Math.max(1, deadline - performance.now()))
    const connecting = this.#pool.connect()
    try {
      const client = await Promise.race([connecting, late.promise])
      this.#away = null
      return client
    } catch (cause) {
      connecting.then((client) => client.release()).catch(() => {})
      // Busy connections say nothing about the server, and an attempt that was cut short less than the one before.
      const isCut = cause instanceof Error && cause.message === noneFree
      if (!isCut) this.#away = { since: this.#away?.since ?? performance.now(), refusal: this.#explain(cause) }
      const failure = new StatementFailure('unreached', this.#away?.refusal ?? this.#explain(cause))
      await this.#readAgain()
      throw failure
    } finally {
      clearTimeout(timer)
    }
  }

  /** Reads the address again for the next connection: the password or the server may have changed. */
  async #readAgain(): Promise<void> {
    this.#url = await this.#readAddress()
    Object.assign(this.#pool.options, connectionTo(this.#url, sessionOptions))
  }

  /** Callers see any refused login as an unavailable database, since only the operator can fix it. */
  #explain(cause: unknown): unknown {
    const serviceError = toServiceError(cause)
    return serviceError === cause ? databaseUnavailable(explainRefusal(cause, this.#url)) : serviceError
  }

  #noteFault(): void {
    this.unsettle(0)
  }

  #isLongAway(): boolean {
    return this.#away !== null && performance.now() - this.#away.since > retryLimitMs
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
    // A transaction that was interrupted before its commit was rolled back.
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
  // The driver accepts a time limit per query, but its types only declare that of the connection.
  const query: QueryConfig & { readonly query_timeout: number } = { name, text, values, query_timeout }
  try {
    const { rows, rowCount } = await client.query<Row>(query)
    return { rows, count: rowCount ?? 0 }
  } catch (error) {
    throw new StatementFailure(judgeFault(error), error)
  }
}

/** 64-bit integers become numbers as in the rest of the service; stored values stay below 2⁵³. */
const numberTypes: CustomTypesConfig = {
  getTypeParser: (type: number, format?: 'text' | 'binary') =>
    type === integer64 ? Number : format === 'binary' ? types.getTypeParser(type, 'binary') : types.getTypeParser(type),
}

import type { Machine } from './machine.ts'

/** A setting's value read from one source, or what is wrong with it and how to put it right. */
export type Parsed<Value> = { readonly value: Value } | { readonly fault: string }

/** How one kind of value is written, read and printed. */
export interface Kind<Value> {
  /** What to write, for the help: `<number>`, `<folder>`, `pretty | json`. */
  readonly form: string
  /** @param folder Absolute folder that relative paths start from. */
  readonly parse: (raw: unknown, folder: string) => Parsed<Value>
  /** As `sepia config` shows it; secrets come out masked. */
  readonly print: (value: Value) => string
}

export type SettingGroup =
  | 'Address'
  | 'Storage'
  | 'Cluster'
  | 'Models'
  | 'Requests'
  | 'Accounts'
  | 'Sign-in'
  | 'Asynchronous requests'
  | 'Log'
  | 'Signals'
  | 'Proxy'

/** One setting: the flag `--name`, the environment variable `SEPIA_NAME` and the key `name` of the file. */
export interface Setting<Value> extends Kind<Value> {
  readonly name: string
  readonly group: SettingGroup
  readonly help: string
  readonly fallback: Fallback<Value>
  /** Variables that other programs read for the same thing, first to last in rank; taken after our own. */
  readonly customary?: readonly string[]
  /** The setting that took the place of this one, which is still read but no longer shown; null = none. */
  readonly replacedBy: string | null
}

/** A setting whatever its type, for tables. */
export type SettingDescription = Omit<Setting<unknown>, 'print'>

/** The value when no source names the setting: written as a user would write it, or derived from the machine. */
export type Fallback<Value> = string | { readonly words: string; readonly derive: (machine: Machine) => Value }

/** `public-url` → `SEPIA_PUBLIC_URL`. */
export function environmentName(name: string): string {
  return `SEPIA_${name.toUpperCase().replaceAll('-', '_')}`
}

/** The default in words, for people. */
export function fallbackWords({ fallback }: SettingDescription): string {
  return typeof fallback === 'string' ? fallback : fallback.words
}

/** One row of the table of settings. */
export function setting<Value>(
  name: string,
  group: SettingGroup,
  kind: Kind<Value>,
  fallback: Fallback<Value>,
  help: string,
): Setting<Value> {
  return { ...kind, name, group, fallback, help, replacedBy: null }
}

/** A setting that another one replaced; files that still hold it keep working, with a warning. */
export function formerSetting<Value>(name: string, group: SettingGroup, kind: Kind<Value>, replacedBy: string): Setting<Value | null> {
  const optional: Kind<Value | null> = { ...kind, print: (value) => (value === null ? '' : kind.print(value)) }
  return { ...optional, name, group, fallback: unset('not set'), help: `Replaced by \`${replacedBy}\`.`, replacedBy }
}

/** The default of a setting that nobody has to make; the words say what holds then. */
export const unset = (words: string): { readonly words: string; readonly derive: () => null } => ({ words, derive: () => null })

/** Settings that make up one value together. */
export interface Combined<Value> {
  readonly rows: SettingTable
  readonly combine: (values: Readonly<Record<string, unknown>>) => Value
}

/** Settings by the names that the code has for them; tables in it become nested values. */
export interface SettingTable {
  // biome-ignore lint/suspicious/noExplicitAny: rows of every type stand in one table
  readonly [name: string]: Setting<any> | Combined<unknown> | SettingTable
}

/** What reading a table gives: its shape, with a value for every row. */
export type ValuesOf<Table> =
  Table extends Setting<infer Value>
    ? Value
    : Table extends Combined<infer Value>
      ? Value
      : { readonly [Name in keyof Table]: ValuesOf<Table[Name]> }

/** Makes one value of several settings. */
export function combined<const Rows extends SettingTable, Value>(
  rows: Rows,
  combine: (values: ValuesOf<Rows>) => Value,
): Combined<Value> & { readonly rows: Rows } {
  return { rows, combine: (values) => combine(values as ValuesOf<Rows>) }
}

/** The rows of a table, from top to bottom. */
export function rowsOf(table: SettingTable): readonly SettingDescription[] {
  return Object.values(table).flatMap((each) => (isRow(each) ? [each] : rowsOf(isCombined(each) ? each.rows : each)))
}

/** Reads every row of a table. */
export function readTable<const Table extends SettingTable>(table: Table, read: (row: Setting<unknown>) => unknown): ValuesOf<Table> {
  const valueIn = (each: SettingTable[string]): unknown => {
    if (isRow(each)) return read(each)
    return isCombined(each) ? each.combine(readTable(each.rows, read)) : readTable(each, read)
  }
  return Object.fromEntries(Object.entries(table).map(([name, each]) => [name, valueIn(each)])) as ValuesOf<Table>
}

function isRow(each: SettingTable[string]): each is Setting<unknown> {
  return 'parse' in each && typeof each.parse === 'function'
}

function isCombined(each: Combined<unknown> | SettingTable): each is Combined<unknown> {
  return 'combine' in each && typeof each.combine === 'function'
}

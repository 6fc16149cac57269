import type { Machine } from './machine.ts'

/** A setting's value, or its fault with the fix. */
export type Parsed<Value> = { readonly value: Value } | { readonly fault: string }

/** A kind of value: its form, parser and printer. */
export interface Kind<Value> {
  /** Form for the help: `<number>`, `<folder>`, `pretty | json`. */
  readonly form: string
  /** @param folder Absolute base of relative paths. */
  readonly parse: (raw: unknown, folder: string) => Parsed<Value>
  /** Format for `sepia config`; secrets are masked. */
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
  | 'Telemetry'
  | 'Proxy'

/** A setting: the flag `--name`, the environment variable `SEPIA_NAME` and the key `name` of the file. */
export interface Setting<Value> extends Kind<Value> {
  readonly name: string
  readonly group: SettingGroup
  readonly help: string
  readonly fallback: Fallback<Value>
  /** Variables of other programs with the same meaning, in order of precedence after Sepia's own. */
  readonly customary?: readonly string[]
  /** Replacement of this deprecated setting, which is still read but not listed; null = current. */
  readonly replacedBy: string | null
}

/** A setting of any type, for tables. */
export type SettingDescription = Omit<Setting<unknown>, 'print'>

/** The default: as a user would write it, or derived from the machine. */
export type Fallback<Value> = string | { readonly words: string; readonly derive: (machine: Machine) => Value }

/** `public-url` → `SEPIA_PUBLIC_URL`. */
export function environmentName(name: string): string {
  return `SEPIA_${name.toUpperCase().replaceAll('-', '_')}`
}

/** The default in words. */
export function fallbackWords({ fallback }: SettingDescription): string {
  return typeof fallback === 'string' ? fallback : fallback.words
}

/** Defines settings of one group. */
export function settingsOf(
  group: SettingGroup,
): <Value>(name: string, kind: Kind<Value>, fallback: Fallback<Value>, help: string) => Setting<Value> {
  return (name, kind, fallback, help) => ({ ...kind, name, group, fallback, help, replacedBy: null })
}

/** Defines a deprecated setting; files with it keep working, with a warning. */
export function formerSetting<Value>(name: string, group: SettingGroup, kind: Kind<Value>, replacedBy: string): Setting<Value | null> {
  const optional: Kind<Value | null> = { ...kind, print: (value) => (value === null ? '' : kind.print(value)) }
  return { ...optional, name, group, fallback: unset('not set'), help: `Replaced by \`${replacedBy}\`.`, replacedBy }
}

/** The default of an optional setting; the words describe its effect. */
export const unset = (words: string): { readonly words: string; readonly derive: () => null } => ({ words, derive: () => null })

/** The default of an optional list. */
export const none = { words: 'none', derive: (): readonly [] => [] } as const

/** Several settings that form one value. */
export interface Combined<Value> {
  readonly rows: SettingTable
  readonly combine: (values: Readonly<Record<string, unknown>>) => Value
}

/** Settings by their names in code; nested tables become nested values. */
export interface SettingTable {
  // biome-ignore lint/suspicious/noExplicitAny: rows of every type are in one table
  readonly [name: string]: Setting<any> | Combined<unknown> | SettingTable
}

/** Values of a table: the same shape, with a value for every row. */
export type ValuesOf<Table> =
  Table extends Setting<infer Value>
    ? Value
    : Table extends Combined<infer Value>
      ? Value
      : { readonly [Name in keyof Table]: ValuesOf<Table[Name]> }

/** Combines several settings into one value. */
export function combined<const Rows extends SettingTable, Value>(
  rows: Rows,
  combine: (values: ValuesOf<Rows>) => Value,
): Combined<Value> & { readonly rows: Rows } {
  return { rows, combine: (values) => combine(values as ValuesOf<Rows>) }
}

/** All rows of a table in order. */
export function rowsOf(table: SettingTable): readonly SettingDescription[] {
  return Object.values(table).flatMap((each) => (isRow(each) ? [each] : rowsOf(isCombined(each) ? each.rows : each)))
}

/** Reads all rows of a table. */
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

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
  return { ...kind, name, group, fallback, help }
}

/** The default of a setting that nobody has to make; the words say what holds then. */
export const unset = (words: string): { readonly words: string; readonly derive: () => null } => ({ words, derive: () => null })

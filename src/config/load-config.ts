import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isRecord } from '../core/json-value.ts'
import { didYouMean } from '../core/text/nearest-name.ts'
import type { Machine } from './machine.ts'
import { environmentName, readTable, type Setting } from './setting.ts'
import { allSettings, type Config, settings } from './settings.ts'

const defaultFile = 'sepia.config.json'

/** Reads the configuration file (named by flags or environment, or an existing `sepia.config.json`), then every setting. */
export async function loadConfig({ flags, environment, ...others }: Omit<SettingSources, 'file'>, machine: Machine): Promise<ParsedConfig> {
  const named = flags.config ?? (environment.SEPIA_CONFIG || undefined)
  if (named !== undefined && (typeof named !== 'string' || named === '')) {
    return { faults: [{ where: '--config', message: 'expected the path of one file.' }] }
  }
  const read = await readConfigFile(resolve(machine.folder, named ?? defaultFile), { required: named !== undefined })
  const parsed = parseConfig({ flags, environment, file: 'file' in read ? read.file : null, ...others }, machine)
  if ('file' in read) return parsed
  const faults = [read.fault, ...('faults' in parsed ? parsed.faults : [])]
  const attempted = 'faults' in parsed ? parsed.attempted : parsed.config
  return { faults, attempted }
}

async function readConfigFile(
  path: string,
  { required }: { readonly required: boolean },
): Promise<{ readonly file: SettingSources['file'] } | { readonly fault: ConfigFault }> {
  let content: string
  try {
    content = await readFile(path, 'utf8')
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (missing && !required) return { file: null }
    return { fault: { where: path, message: missing ? 'there is no such file.' : `cannot be read: ${String(error)}` } }
  }
  try {
    return { file: { path, content: JSON.parse(content) } }
  } catch (error) {
    return { fault: { where: path, message: `is not valid JSON: ${error instanceof Error ? error.message : String(error)}` } }
  }
}

export interface LoadedConfig {
  readonly config: Config
  /** All settings with printed values and sources. */
  readonly report: readonly SettingReport[]
}

export type ParsedConfig =
  | LoadedConfig
  /** `attempted`: settings with defaults in place of invalid ones, for finding further faults; absent = nothing could be read. */
  | { readonly faults: readonly ConfigFault[]; readonly attempted?: Config | undefined }

/** Reads every setting from its first source (flag, environment, file, default), or returns all faults. */
export function parseConfig(sources: SettingSources, machine: Machine): ParsedConfig {
  const reader = createSettingReader(sources, machine)
  const config = readTable(settings, reader.read)
  const faults = [...findUnknownNames(sources), ...reader.faults]
  return faults.length > 0 ? { faults, attempted: config } : { config, report: reader.report }
}

/** Reads settings and collects faults and sources. */
export interface SettingReader {
  readonly read: <Value>(setting: Setting<Value>) => Value
  readonly faults: readonly ConfigFault[]
  readonly report: readonly SettingReport[]
}

/** Creates a reader that takes each setting from its first source: command line, environment, file, running service, default. */
function createSettingReader(sources: SettingSources, machine: Machine): SettingReader {
  const faults: ConfigFault[] = []
  const report: SettingReport[] = []

  function read<Value>(setting: Setting<Value>): Value {
    const written = findWritten(sources, setting, machine.folder)
    const { value, source } = written === undefined ? fallback(setting) : parse(setting, written)
    const { name, replacedBy } = setting
    if (replacedBy === null) report.push({ name, value: setting.print(value), source })
    else if (written !== undefined) report.push({ name, value: setting.print(value), source, replacedBy })
    return value
  }

  function parse<Value>(setting: Setting<Value>, { raw, folder, where }: Written): { readonly value: Value; readonly source: string } {
    const parsed = setting.parse(raw, folder)
    if ('value' in parsed) return { value: parsed.value, source: where }
    faults.push({ where, message: parsed.fault, settings: [setting.name] })
    return fallback(setting)
  }

  function fallback<Value>(setting: Setting<Value>): { readonly value: Value; readonly source: string } {
    return { value: fallbackOf(setting, machine), source: 'default' }
  }

  return { read, faults, report }
}

/** @throws {Error} if a default in the table is invalid. */
function fallbackOf<Value>(setting: Setting<Value>, machine: Machine): Value {
  if (typeof setting.fallback !== 'string') return setting.fallback.derive(machine)
  const parsed = setting.parse(setting.fallback, machine.folder)
  if ('fault' in parsed) throw new Error(`The default of ${setting.name} is not valid: ${parsed.fault}`)
  return parsed.value
}

interface Written {
  readonly raw: unknown
  readonly where: string
  /** Base of relative paths: the file's folder for values in the file. */
  readonly folder: string
}

function findWritten(
  sources: SettingSources,
  { name, customary = [] }: { readonly name: string; readonly customary?: readonly string[] },
  folder: string,
): Written | undefined {
  const flag = sources.flags[name]
  if (flag !== undefined) return { raw: flag, where: `--${name}`, folder }
  for (const variable of [environmentName(name), ...customary]) {
    const environment = sources.environment[variable]
    // Compose files pass unset variables as empty ones.
    if (environment !== undefined && environment !== '') return { raw: environment, where: variable, folder }
  }
  const { file } = sources
  if (file !== null && isRecord(file.content) && Object.hasOwn(file.content, name))
    return { raw: file.content[name], where: `"${name}" in ${file.path}`, folder: dirname(file.path) }
  const noted = sources.service?.[name]
  return noted === undefined ? undefined : { raw: noted, where: 'the running service', folder }
}

/** Variables of the test suite. */
const testVariables = /^SEPIA_(CI$|CHROMIUM$|TEST_)/

/** Variables of client commands. */
const clientVariables = ['SEPIA_URL', 'SEPIA_TOKEN']

/** Faults for unknown flags, `SEPIA_` variables and keys of the file. */
function findUnknownNames(sources: SettingSources): readonly ConfigFault[] {
  const keys = allSettings.map(({ name }) => name)
  const flags = [...keys, 'config'].map((name) => `--${name}`)
  const variables = [...[...keys, 'config'].map(environmentName), ...clientVariables]
  const { file } = sources
  return [
    ...Object.keys(sources.flags)
      .map((name) => `--${name}`)
      .filter((flag) => !flags.includes(flag))
      .map((flag) => ({ where: flag, message: `there is no such flag.${didYouMean(flag, flags)}` })),
    ...Object.keys(sources.environment)
      .filter((variable) => variable.startsWith('SEPIA_') && !variables.includes(variable) && !testVariables.test(variable))
      .map((variable) => ({ where: variable, message: `there is no such variable.${didYouMean(variable, variables)}` })),
    ...(file === null ? [] : unknownKeys(file, keys)),
  ]
}

function unknownKeys({ path, content }: NonNullable<SettingSources['file']>, keys: readonly string[]): readonly ConfigFault[] {
  if (!isRecord(content)) return [{ where: path, message: 'expected a JSON object with one key per setting.' }]
  return Object.keys(content)
    .filter((key) => !keys.includes(key))
    .map((key) => ({ where: `"${key}" in ${path}`, message: `there is no such key.${didYouMean(key, keys)}` }))
}

/** Sources of settings in order of precedence. */
export interface SettingSources {
  /** Flags without dashes. A flag without value is true; a repeated one is a list. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The parsed configuration file with its absolute path; null = none. */
  readonly file: { readonly path: string; readonly content: unknown } | null
  /** Settings of the service running on the data folder, for other commands. */
  readonly service?: Readonly<Record<string, string>>
}

/** A fault that prevents the start: its place and the fix. */
export interface ConfigFault {
  /** `--port`, `SEPIA_PORT` or `"port" in /srv/sepia.config.json`. */
  readonly where: string
  readonly message: string
  /** The invalid settings, or those that would fix a missing combination; absent = `where` alone. */
  readonly settings?: readonly string[]
}

/** One row of `sepia config`. */
export interface SettingReport {
  readonly name: string
  /** Secrets are masked. */
  readonly value: string
  /** `default`, or its source. */
  readonly source: string
  /** The replacement of a deprecated setting. */
  readonly replacedBy?: string
}

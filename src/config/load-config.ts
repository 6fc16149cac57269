import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isRecord } from '../core/json-value.ts'
import { didYouMean } from '../core/text/nearest-name.ts'
import type { Machine } from './machine.ts'
import { environmentName, readTable, type Setting } from './setting.ts'
import { allSettings, type Config, settings } from './settings.ts'

const defaultFile = 'sepia.config.json'

/** Reads the configuration file that flags or environment name (or `sepia.config.json`, if it is there), then every setting. */
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
  return { faults, ...(attempted && { attempted }) }
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
  /** Every setting with its value in words and where it came from. */
  readonly report: readonly SettingReport[]
}

export type ParsedConfig =
  | LoadedConfig
  /** `attempted`: the settings with the default of each faulty one, to tell what else is wrong; absent when nothing could be read. */
  | { readonly faults: readonly ConfigFault[]; readonly attempted?: Config }

/** Reads every setting from its first source (flag, environment, file, default), or tells everything that is wrong at once. */
export function parseConfig(sources: SettingSources, machine: Machine): ParsedConfig {
  const reader = createSettingReader(sources, machine)
  const config = readTable(settings, reader.read)
  const faults = [...findUnknownNames(sources), ...reader.faults]
  return faults.length > 0 ? { faults, attempted: config } : { config, report: reader.report }
}

/** Reads settings one by one and collects what is wrong and where each value came from. */
export interface SettingReader {
  readonly read: <Value>(setting: Setting<Value>) => Value
  readonly faults: readonly ConfigFault[]
  readonly report: readonly SettingReport[]
}

/** Takes each setting from the first source that names it: command line, environment, file, running service; else its default. */
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

/** @throws {Error} when the table itself holds a default that its kind does not accept. */
function fallbackOf<Value>(setting: Setting<Value>, machine: Machine): Value {
  if (typeof setting.fallback !== 'string') return setting.fallback.derive(machine)
  const parsed = setting.parse(setting.fallback, machine.folder)
  if ('fault' in parsed) throw new Error(`The default of ${setting.name} is not valid: ${parsed.fault}`)
  return parsed.value
}

interface Written {
  readonly raw: unknown
  readonly where: string
  /** Folder that relative paths start from: the file's own for values of the file. */
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
    // Compose files pass an unset variable on as an empty one.
    if (environment !== undefined && environment !== '') return { raw: environment, where: variable, folder }
  }
  const { file } = sources
  if (file !== null && isRecord(file.content) && Object.hasOwn(file.content, name))
    return { raw: file.content[name], where: `"${name}" in ${file.path}`, folder: dirname(file.path) }
  const noted = sources.service?.[name]
  return noted === undefined ? undefined : { raw: noted, where: 'the running service', folder }
}

/** Variables that steer the test suite, not the service. */
const testVariables = /^SEPIA_(CI$|CHROMIUM$|TEST_)/

/** Variables of the commands that talk to a running service. */
const clientVariables = ['SEPIA_URL', 'SEPIA_TOKEN']

/** A fault for every flag, `SEPIA_` variable and key of the file that no setting has. */
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

/** Where settings are read from, first to last in rank. */
export interface SettingSources {
  /** Flags without their dashes. A bare flag is true; a flag given several times is a list. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The parsed configuration file with its absolute path; null when there is none. */
  readonly file: { readonly path: string; readonly content: unknown } | null
  /** What the service that runs on the data folder was started with, for commands beside it. */
  readonly service?: Readonly<Record<string, string>>
}

/** One thing that stops the start: where it stands, and what to change. */
export interface ConfigFault {
  /** `--port`, `SEPIA_PORT` or `"port" in /srv/sepia.config.json`. */
  readonly where: string
  readonly message: string
  /** The settings that cannot be read, or, of what settings lack together, those that would mend it; absent = `where` alone. */
  readonly settings?: readonly string[]
}

/** One line of `sepia config`. */
export interface SettingReport {
  readonly name: string
  /** Secrets are masked. */
  readonly value: string
  /** `default`, or where it was set. */
  readonly source: string
  /** The setting to use instead, if this one is of an older version. */
  readonly replacedBy?: string
}

import { dirname } from 'node:path'
import { isRecord } from '../core/is-record.ts'
import type { Machine } from './machine.ts'
import { environmentName, type Setting } from './setting.ts'
import type { ConfigFault, SettingReport, SettingSources } from './setting-sources.ts'

/** Reads settings one by one and collects what is wrong and where each value came from. */
export interface SettingReader {
  readonly read: <Value>(setting: Setting<Value>) => Value
  readonly faults: readonly ConfigFault[]
  readonly report: readonly SettingReport[]
}

/** Takes each setting from the first source that names it: command line, environment, file, running service; else its default. */
export function createSettingReader(sources: SettingSources, machine: Machine): SettingReader {
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

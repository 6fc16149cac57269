import type { Machine } from './machine.ts'
import { readTable } from './setting.ts'
import { createSettingReader } from './setting-reader.ts'
import type { ConfigFault, SettingReport, SettingSources } from './setting-sources.ts'
import { type Config, settings } from './settings.ts'
import { findUnknownNames } from './unknown-names.ts'

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

import { listeningOrigin, resolveAddresses } from '../../config/addresses.ts'
import type { SettingReport } from '../../config/load-config.ts'
import { fallbackWords } from '../../config/setting.ts'
import type { Config } from '../../config/settings.ts'
import { allSettings, settings } from '../../config/settings.ts'
import type { Command } from '../command.ts'
import { textTable } from '../text-table.ts'

export const showConfig: Command = {
  words: ['config'],
  summary: 'Show every setting, its value and where it came from.',
  flags: [],
  settings: 'all',
  run: async ({ config, report }) => {
    const effective = report.map((line) => ({ ...line, value: line.value || effectiveAddress(line, config) }))
    return {
      text: textTable(
        ['SETTING', 'VALUE', 'FROM'],
        effective.map(({ name, value, source }) => [name, value || absenceInWords(name), source]),
      ),
      json: { settings: effective },
    }
  },
}

/** What an address that was not set comes to; '' for other settings, and while only the start decides on the port. */
function effectiveAddress({ name }: SettingReport, { addresses, listen: { host, port } }: Config): string {
  const { publicUrl, imageUrl, asyncUrl, textUrl } = resolveAddresses(addresses, port === 0 ? '' : listeningOrigin(host, port))
  const byName: Readonly<Record<string, string>> = {
    [settings.addresses.publicUrl.name]: publicUrl,
    [settings.addresses.imageUrl.name]: imageUrl,
    [settings.addresses.asyncUrl.name]: asyncUrl,
    [settings.addresses.textUrl.name]: textUrl,
  }
  return byName[name] ?? ''
}

function absenceInWords(name: string): string {
  const setting = allSettings.find((each) => each.name === name)
  return setting === undefined ? '' : `(${fallbackWords(setting).replaceAll('`', '')})`
}

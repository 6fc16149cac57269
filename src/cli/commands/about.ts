import { listeningOrigin, resolveAddresses } from '../../config/addresses.ts'
import type { SettingReport } from '../../config/load-config.ts'
import { fallbackWords } from '../../config/setting.ts'
import { allSettings, type Config, settings } from '../../config/settings.ts'
import { formatBytes } from '../../core/byte-size.ts'
import type { CliBackend } from '../cli-backend.ts'
import type { Command, CommandContext } from '../command.ts'
import { UsageError } from '../failures.ts'
import { manualPage } from '../manual-page.ts'
import { textTable } from '../printed-text.ts'
import { openSpinner } from '../progress-bar.ts'
import { shellCompletion, shells } from '../shell-completion.ts'

export const showVersion: Command = {
  words: ['version'],
  summary: 'Print the version.',
  flags: [],
  settings: [],
  run: async ({ version }) => ({ text: version, json: { version } }),
}

export const showConfig: Command = {
  words: ['config'],
  summary: 'Show every setting, its value and its source.',
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

/** The effective value of an unset URL; '' for other settings, and if the port is only known after the start. */
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

/** Querying drivers takes seconds, so show a spinner. */
async function find({
  backend,
  terminal,
  signal,
}: Pick<CommandContext, 'backend' | 'terminal' | 'signal'>): ReturnType<CliBackend['listDevices']> {
  using _spinner = openSpinner(terminal, 'Querying the drivers')
  return await backend.listDevices({ signal })
}

export const listDevices: Command = {
  words: ['devices'],
  summary: 'List the GPUs that each engine can use.',
  flags: [],
  settings: [],
  run: async ({ backend, terminal, signal }) => {
    const devices = await find({ backend, terminal, signal })
    const rows = devices.map(({ engine, index, backend, name, software, memoryBytes, freeBytes, driver }) => [
      engine,
      backend,
      String(index),
      `${name ?? 'unknown'}${software ? ' (software: only used when named)' : ''}`,
      memoryBytes === null ? '' : `${formatBytes(memoryBytes)}${freeBytes === null ? '' : `, ${formatBytes(freeBytes)} free`}`,
      driver ?? '',
    ])
    return {
      text:
        rows.length === 0
          ? 'No GPU was found; models run on the processor. See docs/hardware.md for the driver a GPU needs.'
          : textTable(['ENGINE', 'BACKEND', 'DEVICE', 'NAME', 'MEMORY', 'DRIVER'], rows),
      json: { devices },
    }
  },
}

export const showManual: Command = {
  words: ['manual'],
  summary: 'Print the manual page: sepia manual > sepia.1, then man ./sepia.1',
  flags: [],
  settings: [],
  run: async ({ commands, version }) => {
    const text = manualPage(commands, version).trimEnd()
    return { text, json: { manual: text } }
  },
}

export const completion: Command = {
  words: ['completion'],
  summary: 'Print a shell script that completes commands and flags.',
  argument: { name: '<shell>', help: `${shells.join(', ')}; the first line of the script says where to put it.` },
  flags: [],
  settings: [],
  run: async ({ argument, commands }) => {
    const shell = shells.find((known) => known === argument)
    if (shell === undefined)
      throw new UsageError([{ where: argument, message: `there is no completion for it; choose from ${shells.join(', ')}.` }])
    const text = shellCompletion(shell, commands).trimEnd()
    return { text, json: { shell, script: text } }
  },
}

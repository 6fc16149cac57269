import { printByteSize } from '../../core/byte-size.ts'
import type { CliBackend } from '../cli-backend.ts'
import type { Command, CommandContext } from '../command.ts'
import { openSpinner } from '../spinner.ts'
import { textTable } from '../text-table.ts'

/** Asking the drivers takes seconds, in which a person would see nothing. */
async function find({
  backend,
  terminal,
  signal,
}: Pick<CommandContext, 'backend' | 'terminal' | 'signal'>): ReturnType<CliBackend['listDevices']> {
  using _spinner = openSpinner(terminal, 'Asking the drivers')
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
      `${name ?? 'not told'}${software ? ' (software: only used when named)' : ''}`,
      memoryBytes === null ? '' : `${printByteSize(memoryBytes)}${freeBytes === null ? '' : `, ${printByteSize(freeBytes)} free`}`,
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

import { printByteSize } from '../../core/byte-size.ts'
import type { Command } from '../command.ts'
import { textTable } from '../text-table.ts'

export const listDevices: Command = {
  words: ['devices'],
  summary: 'List the GPUs that models can compute on, per engine.',
  flags: [],
  settings: [],
  run: async ({ backend, signal }) => {
    const devices = await backend.listDevices({ signal })
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
          ? 'No GPU was found: models compute on the processor. docs/hardware.md says which driver a GPU needs.'
          : textTable(['ENGINE', 'BACKEND', 'DEVICE', 'NAME', 'MEMORY', 'DRIVER'], rows),
      json: { devices },
    }
  },
}

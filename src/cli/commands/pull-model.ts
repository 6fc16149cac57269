import { printByteSize } from '../../core/byte-size.ts'
import type { PullPlan } from '../../core/model-pull.ts'
import type { Command } from '../command.ts'
import { printableLine } from '../printable.ts'
import { openProgressBar } from '../progress-bar.ts'
import { textTable } from '../text-table.ts'

export const pullModel: Command = {
  words: ['model', 'pull'],
  summary: 'Copy a model into the data folder and check it.',
  argument: {
    name: '<source>',
    help: 'hf:<owner>/<repository>[@<revision>][:<quantization or file>], or the web address or path of a .gguf or .safetensors file (#sha256=… checks it), or of a folder that holds a model.',
  },
  flags: [
    { name: 'dry-run', form: null, help: 'Show what would be downloaded, with sizes, and download nothing.' },
    { name: 'offline', form: null, help: 'Use this machine only: local paths.' },
  ],
  settings: ['data', 'hub-url', 'hub-token-file', 'pull-hosts'],
  run: async ({ argument, flags, backend, config, terminal, signal }) => {
    const offline = flags.has('offline')
    if (flags.has('dry-run')) {
      const plan = await backend.planPull(config, argument, { signal, offline })
      const files = Object.entries(plan.files).map(([path, { bytes }]) => [path, printByteSize(bytes)])
      const room = `${printByteSize(plan.freeBytes)} are free in ${config.dataFolder}${plan.freeBytes < plan.bytes ? ', which is not enough' : ''}.`
      return { text: [...describePlan(plan), textTable(['FILE', 'SIZE'], files), room].join('\n'), json: { ...plan } }
    }
    const onPlan = (plan: PullPlan) => terminal.err(`${describePlan(plan).join('\n')}\n`)
    using bar = openProgressBar({ terminal, now: Date.now }, 'Fetching', { bytes: true })
    const { id, bytes, folder } = await backend.pullModel(config, argument, { signal, offline, onPlan, onProgress: bar.report })
    return { text: `Installed ${id} (${printByteSize(bytes)}); a running service has it in a few seconds.`, json: { id, bytes, folder } }
  },
}

function describePlan({ id, bytes, license, notes }: PullPlan): readonly string[] {
  return [`${id} (${printByteSize(bytes)}), licence: ${license ?? 'not stated'}`, ...notes].map(printableLine)
}

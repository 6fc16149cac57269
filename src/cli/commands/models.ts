import { formatBytes } from '../../core/byte-size.ts'
import { fitsInto, modelSuggestions } from '../../core/memory/model-suggestions.ts'
import type { ModelDescriptor } from '../../core/model.ts'
import type { PullPlan } from '../../core/model-pull.ts'
import { type Command, confirm, yesFlag } from '../command.ts'
import { printableLine, textTable } from '../printed-text.ts'
import { openProgressBar } from '../progress-bar.ts'

export const listModels: Command = {
  words: ['model', 'list'],
  summary: 'List the installed models.',
  flags: [],
  settings: ['models', 'data'],
  run: async ({ backend, config, program }) => {
    const models = (await backend.listModels(config)).filter(({ hidden = false }) => !hidden)
    return {
      text:
        textTable(
          ['ID', 'KIND', 'SIZE', 'LICENCE', 'FOLDER'],
          models.map((model) => [model.id, kindOf(model), formatBytes(model.bytes), model.license ?? '', model.folder]),
        ) || `There are no models; pull one with: ${program} model pull <source>`,
      json: { models: models.map(({ id, name, kind, bytes, license, folder }) => ({ id, name, kind, bytes, license, folder })) },
    }
  },
}

/** What a model is for. */
function kindOf(model: ModelDescriptor): string {
  if (model.kind === 'image' || model.generates !== false) return model.kind
  return model.ranks ? 'rerank' : 'embedding'
}

export const searchModels: Command = {
  words: ['model', 'search'],
  summary: 'Search the hub for models that Sepia runs.',
  argument: { name: '<words>', help: 'Words to search for, such as qwen3 8b, with or without quotes.', words: true },
  flags: [],
  settings: ['hub-url', 'hub-token-file'],
  run: async ({ argument, backend, config, program, signal }) => {
    const models = await backend.searchModels(config, argument, { signal })
    const rows = models.map(({ source, downloads, license, gated }) => [source, String(downloads), license ?? '', gated ? 'yes' : ''])
    return {
      text:
        rows.length === 0
          ? 'The hub has no GGUF or image model for these words; try fewer words.'
          : `${textTable(['SOURCE', 'DOWNLOADS', 'LICENCE', 'GATED'], rows)}\n\nPull one with: ${program} model pull <source>`,
      json: { models },
    }
  },
}

export const pullModel: Command = {
  words: ['model', 'pull'],
  summary: 'Download or copy a model into the data folder and verify it.',
  argument: {
    name: '<source>',
    help: 'hf:<owner>/<repository>[@<revision>][:<quantization or file>], or the URL or path of a .gguf file, a .safetensors file or a model folder. Join the files of one image model with +. #sha256=… at the end of a URL verifies the file.',
  },
  flags: [
    { name: 'dry-run', form: null, help: 'Show what would be downloaded, with sizes, and download nothing.' },
    { name: 'offline', form: null, help: 'Do not use the network; only local paths work.' },
  ],
  settings: ['data', 'hub-url', 'hub-token-file', 'pull-hosts'],
  run: async ({ argument, flags, backend, config, terminal, signal }) => {
    const offline = flags.has('offline')
    if (flags.has('dry-run')) {
      const plan = await backend.planPull(config, argument, { signal, offline })
      const files = Object.entries(plan.files).map(([path, { bytes }]) => [path, formatBytes(bytes)])
      const room = `${formatBytes(plan.freeBytes)} are free in ${config.dataFolder}${plan.freeBytes < plan.bytes ? ', which is not enough' : ''}.`
      return { text: [...describePlan(plan), textTable(['FILE', 'SIZE'], files), room].join('\n'), json: { ...plan } }
    }
    const onPlan = (plan: PullPlan) => terminal.err(`${describePlan(plan).join('\n')}\n`)
    using bar = openProgressBar({ terminal, now: Date.now }, 'Fetching', { bytes: true })
    const { id, bytes, folder } = await backend.pullModel(config, argument, { signal, offline, onPlan, onProgress: bar.report })
    return { text: `Installed ${id} (${formatBytes(bytes)}); a running service offers it in a few seconds.`, json: { id, bytes, folder } }
  },
}

function describePlan({ id, bytes, license, notes }: PullPlan): readonly string[] {
  return [`${id} (${formatBytes(bytes)}), licence: ${license ?? 'not stated'}`, ...notes].map(printableLine)
}

export const importModels: Command = {
  words: ['model', 'import'],
  summary: 'List the models of Ollama, LM Studio or the hub cache, and use chosen ones in place.',
  argument: { name: '<program>', help: 'ollama, lmstudio or huggingface.' },
  flags: [
    { name: 'register', form: '<names>', help: 'Use these models, by name or id and separated by commas, or all; nothing is copied.' },
    { name: 'folder', form: '<path>', help: "The folder of the models, if it is not the program's usual one." },
  ],
  settings: ['data'],
  run: async ({ argument, flags, backend, config, environment, program }) => {
    const { folder, models } = await backend.findForeignModels(config, argument, { folder: flags.get('folder') ?? null, environment })
    const wanted = flags.get('register')
    if (wanted !== undefined) {
      const names =
        wanted === 'all' ? models.flatMap(({ id, installed }) => (installed ? [] : [id])) : wanted.split(',').map((name) => name.trim())
      const registered = await backend.registerForeignModels(config, models, names)
      const ids = registered.map(({ id }) => id)
      const text =
        ids.length === 0 ? 'Every model found is registered already.' : `Registered ${ids.join(', ')}; the files stay in ${folder}.`
      return { text: printableLine(text), json: { folder, registered: ids } }
    }
    const rows = models.map(({ name, id, bytes, installed }) => [name, id, formatBytes(bytes), installed ? 'yes' : ''].map(printableLine))
    return {
      text:
        rows.length === 0
          ? printableLine(`${folder} holds no GGUF model and no folder in diffusers' layout.`)
          : `${textTable(['NAME', 'ID', 'SIZE', 'INSTALLED'], rows)}\n\nUse one with: ${program} model import ${argument} --register <name>`,
      json: { folder, models: models.map(({ name, id, bytes, installed }) => ({ name, id, bytes, installed })) },
    }
  },
}

export const removeModel: Command = {
  words: ['model', 'remove'],
  summary: 'Delete a pulled model.',
  argument: { name: '<model>', help: 'The id that sepia model list shows.' },
  flags: [yesFlag],
  settings: ['data'],
  run: async (context) => {
    const model = await context.backend.findRemovableModel(context.config, context.argument)
    await confirm(context, { warning: `This deletes ${model.folder} (${formatBytes(model.bytes)}).`, unattended: 'proceed' })
    await context.backend.removeModel(model)
    return { text: `Removed ${model.id}.`, json: { removed: model.id } }
  },
}

export const suggestModels: Command = {
  words: ['model', 'suggestions'],
  summary: 'List models to start with, and which of them fit into memory.',
  flags: [],
  settings: ['memory'],
  run: async ({ config, program }) => {
    const models = modelSuggestions.map((model) => ({ ...model, fits: fitsInto(model, config.models.memoryBytes) }))
    const rows = models.map(({ kind, source, bytes, memoryBytes, license, fits }) => [
      source,
      kind,
      formatBytes(bytes),
      formatBytes(memoryBytes),
      fits ? 'yes' : 'no',
      license,
    ])
    const table = textTable(['SOURCE', 'KIND', 'DOWNLOAD', 'MEMORY', 'FITS', 'LICENCE'], rows)
    const room = `Models may use ${formatBytes(config.models.memoryBytes)} of memory on this machine; a GPU's memory is separate.`
    return { text: `${table}\n\n${room} Pull one with: ${program} model pull <source>`, json: { models } }
  },
}

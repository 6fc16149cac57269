import { createFakeCatalog } from '../../../src/runtimes/fake/fake-catalog.ts'
import { createFixedModelPool } from '../../../src/runtimes/fake/fixed-model-pool.ts'
import { type HttpService, startHttpService } from '../http-service.ts'
import { openScriptedModel, type ScriptedModel } from '../model-files/scripted-model.ts'
import type { ToolFamily } from '../model-files/tool-family.ts'

/** A service with models that answer as scripted by a test. */
export interface ScriptedService<Name extends string> extends AsyncDisposable {
  readonly service: HttpService
  readonly models: Readonly<Record<Name, ScriptedModel>>
}

/** @param families What each model's tokenizer and template are like. */
export async function startScriptedService<Name extends string>(
  families: Readonly<Record<Name, ToolFamily>>,
  options: { readonly worker?: boolean } = {},
): Promise<ScriptedService<Name>> {
  await using opened = new AsyncDisposableStack()
  const entries: [string, ScriptedModel][] = []
  for (const [name, family] of Object.entries<ToolFamily>(families)) entries.push([name, opened.use(await openScriptedModel(family))])
  const models = entries.map(([, model]) => model)
  const pool = createFixedModelPool({ text: Object.fromEntries(models.map((model) => [model.descriptor.id, model])) })
  const service = opened.use(
    await startHttpService({ catalog: createFakeCatalog(models.map(({ descriptor }) => descriptor)), pool, ...options }),
  )
  const kept = opened.move()
  return {
    service,
    models: Object.fromEntries(entries) as Record<Name, ScriptedModel>,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

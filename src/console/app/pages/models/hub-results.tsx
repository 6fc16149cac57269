import type { ComponentChildren, VNode } from 'preact'
import { fitsInto, type ModelSuggestion, modelSuggestions } from '../../../../core/memory/model-suggestions.ts'
import type { HubSearch } from '../../../contract/models.ts'
import { compactText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { byteText } from '../../parts/byte-text.ts'
import { modelMemory } from '../../state/models.ts'

interface Choosing {
  readonly disabled: boolean
  readonly onPull: (source: string) => void
}

/** Models found on the hub, most downloads first, each with a Pull button. */
export function HubResults({ found: { models, fault }, ...choosing }: Choosing & { found: HubSearch }): VNode {
  if (fault !== null)
    return (
      <p class="note warn" lang="en">
        {fault}
      </p>
    )
  if (models.length === 0) return <p class="soft">{t`No GGUF or image model on Hugging Face matches these words. Try fewer.`}</p>
  return (
    <ul class="stack tight" aria-label={t`Found on the hub`}>
      {models.map(({ source, downloads, license, gated }) => (
        <Row key={source} source={source} {...choosing}>
          {t`${compactText(downloads)} downloads, licence ${license ?? t`not stated`}`}
          {gated ? ` · ${t`accept its terms on Hugging Face first`}` : ''}
        </Row>
      ))}
    </ul>
  )
}

/** Suggested models, smallest first. */
export function Suggestions(choosing: Choosing): VNode {
  return (
    <section class="stack tight">
      <h3>{t`Suggested models`}</h3>
      <ul class="stack tight">
        {modelSuggestions.map((model) => (
          <Row key={model.source} source={model.source} {...choosing}>
            <SuggestionFacts model={model} />
          </Row>
        ))}
      </ul>
    </section>
  )
}

/** What a suggested model is for and needs, and whether it is too large for the memory that models may use. */
function SuggestionFacts({ model }: { model: ModelSuggestion }): VNode {
  const { kind, bytes, memoryBytes, license, steps } = model
  const most = modelMemory.value
  return (
    <>
      {kind === 'text' ? t`Chat` : t`Images`},{' '}
      {t`${byteText(bytes)} to download, about ${byteText(memoryBytes)} of memory, licence ${license}`}
      {steps === undefined ? '' : ` · ${t.count(steps, { one: '# step', other: '# steps' })}`}
      {most === null || fitsInto(model, most) ? null : (
        <>
          {' · '}
          <strong>{t`too large: models may use ${byteText(most)} here (a GPU’s memory is separate)`}</strong>
        </>
      )}
    </>
  )
}

function Row({ source, disabled, onPull, children }: Choosing & { source: string; children: ComponentChildren }): VNode {
  return (
    <li class="row between hub-model">
      <div class="stack tight">
        <code class="whole">{source}</code>
        <span class="soft">{children}</span>
      </div>
      <Button size="small" icon="download" disabled={disabled} onClick={() => onPull(source)} about={source}>{t`Pull`}</Button>
    </li>
  )
}

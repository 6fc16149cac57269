import type { VNode } from 'preact'
import type { Inference } from '../../../../core/inference.ts'
import { request } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Prose } from '../../parts/markdown/prose.tsx'
import { Thumbnail } from '../../parts/thumbnail.tsx'
import { useResource } from '../../state/resource.ts'
import { outputFacts } from '../images/runs/output-facts.ts'

/** The result: pictures or text. */
export function RequestResult({ inference }: { inference: Inference }): VNode {
  return inference.kind === 'image' ? <Pictures id={inference.id} /> : <Text id={inference.id} />
}

function Pictures({ id }: { id: string }): VNode {
  const { resource, reload } = useResource(() => outputFacts(id), [id])
  return (
    <Loaded resource={resource} retry={reload}>
      {({ images }) => (
        <ul class="gallery">
          {images.map((image) => (
            <li class="plate" key={image.index}>
              <Thumbnail address={image.address} alt={t`Drawn with seed ${image.seed}`} across={300} />
              <span class="plate-foot">{t`seed ${image.seed}`}</span>
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  )
}

interface ChatOutput {
  readonly choices?: readonly { readonly message?: { readonly content?: string | null } }[]
}

function Text({ id }: { id: string }): VNode {
  const { resource, reload } = useResource(
    (signal) => request<ChatOutput>(`/console/api/outputs/${encodeURIComponent(id)}`, { signal }),
    [id],
  )
  return (
    <Loaded resource={resource} retry={reload}>
      {({ choices = [] }) => (
        <div class="sheet stack">
          {choices.map((choice, index) => (
            <Prose key={`choice ${index}`} text={choice.message?.content ?? ''} caret={false} />
          ))}
        </div>
      )}
    </Loaded>
  )
}

import type { VNode } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { serviceAddress } from '../../browser/base-path.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { CodeSample } from '../../parts/code-sample.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { chatModels } from '../../state/models.ts'
import { tokenSamples } from './token-samples.ts'

/** Shows a new token's text once, with sample calls. */
export function TokenShown({ text, onDone }: { text: string; onDone: () => void }): VNode {
  const model = chatModels()[0]?.id ?? 'smollm2-135m-instruct'
  const element = useRef<HTMLElement>(null)
  useLayoutEffect(() => element.current?.focus(), [text])
  return (
    <section class="sheet stack" aria-label={t`Your new token`} tabIndex={-1} ref={element}>
      <div class="stack tight">
        <h2>{t`Your new token`}</h2>
        <p class="soft">{t`Copy it now; it won’t be shown again.`}</p>
      </div>
      <div class="row">
        <code class="token-text" data-token>
          {text}
        </code>
        <CopyButton text={text} primary label={t`Copy the token`} />
      </div>
      <CodeSample samples={tokenSamples(serviceAddress(), text, model)} />
      <div>
        <Button onClick={onDone}>{t`I’ve copied it`}</Button>
      </div>
    </section>
  )
}

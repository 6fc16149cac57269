import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { t } from '../language/t.ts'
import { Button } from './button.tsx'

interface CopyButtonProps {
  readonly text: string
  readonly label?: string
  readonly primary?: boolean
  /** Completes the label for screen readers, where others beside it say the same. */
  readonly about?: string
}

/** Copies a text to the clipboard and confirms it. */
export function CopyButton({ text, label = t`Copy`, primary = false, about = '' }: CopyButtonProps): VNode {
  const copied = useSignal(false)
  const copy = async () => {
    copied.value = await copyText(text)
    setTimeout(() => {
      copied.value = false
    }, 2000)
  }
  return (
    <Button size="small" tone={primary ? 'primary' : 'quiet'} icon={copied.value ? 'check' : 'copy'} onClick={copy} about={about}>
      <span aria-live="polite">{copied.value ? t`Copied` : label}</span>
    </Button>
  )
}

/** Copies a text. Pages served over plain HTTP from another machine have no clipboard API, so they use a selection. */
async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  }
  const area = document.createElement('textarea')
  area.value = text
  const host = document.querySelector('dialog[open]') ?? document.body
  host.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  return done
}

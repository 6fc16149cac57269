import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { copyText } from './copy-text.ts'
import { Icon } from './icon.tsx'

/** Puts a text onto the clipboard and says so. */
export function CopyButton({ text, label = 'Copy', primary = false }: { text: string; label?: string; primary?: boolean }): VNode {
  const copied = useSignal(false)
  const copy = async () => {
    copied.value = await copyText(text)
    setTimeout(() => {
      copied.value = false
    }, 2000)
  }
  return (
    <button type="button" class={`button small ${primary ? 'primary' : 'quiet'}`} onClick={() => void copy()}>
      <Icon name={copied.value ? 'check' : 'copy'} size={16} />
      <span aria-live="polite">{copied.value ? 'Copied' : label}</span>
    </button>
  )
}

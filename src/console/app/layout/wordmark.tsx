import type { VNode } from 'preact'

/** The product's name with its drop of ink. */
export function Wordmark(): VNode {
  return (
    <a class="wordmark" href="/console/chat">
      <svg width="20" height="24" viewBox="0 0 20 24" fill="none" aria-hidden="true">
        <path
          fill="currentColor"
          d="M10 .800c4.100 5.600 8.200 10.100 8.200 15A8.100 8.100 0 0 1 10 23.900a8.100 8.100 0 0 1-8.200-8.100C1.800 10.900 5.900 6.400 10 .800z"
        />
        <path stroke="var(--paper)" stroke-width="1.700" stroke-linecap="round" d="M5.600 16.300a4.400 4.400 0 0 0 3.500 4" />
      </svg>
      Sepia
    </a>
  )
}

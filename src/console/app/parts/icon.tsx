import type { VNode } from 'preact'

const outlines = {
  chat: 'M4 5.500h16v11H9.500L5 20.500v-4H4z',
  image: 'M4 4.500h16v15H4zM4 16l4.500-4.500 4 4 2.500-2.500 5 5M15.500 9.200h.01',
  gallery: 'M4 4.500h7v7H4zM14 4.500h6v4h-6zM14 11.500h6v8h-6zM4 14.500h7v5H4z',
  list: 'M4 6.500h16M4 12h16M4 17.500h10',
  chart: 'M4 20h16M6.500 20v-7M12 20V5M17.500 20v-10',
  model: 'M12 3.500l8 4.300v8.400l-8 4.300-8-4.300V7.800zM4 7.800l8 4.300 8-4.300M12 12.100v8.400',
  key: 'M14.500 4a5.500 5.500 0 1 1-3.200 10L4 20.500h-.5V17l6.300-6.300A5.500 5.500 0 0 1 14.500 4zM16 8.500h.01',
  bell: 'M5.500 17c1.200-1.500 1.500-3 1.500-6a5 5 0 0 1 10 0c0 3 .3 4.500 1.500 6zM10 20c.8 1 3.200 1 4 0M12 3.500V6',
  people:
    'M9 11.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM2.500 19.500c.5-3.500 3-5.500 6.500-5.500s6 2 6.500 5.500M16 4.800a3.500 3.500 0 0 1 0 6.400M18 14.500c2 .8 3.200 2.500 3.500 5',
  pulse: 'M3 12h4l2.500-7 5 14 2.500-7h4',
  sun: 'M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M5.300 18.700l1.400-1.400M17.300 6.700l1.400-1.400',
  moon: 'M20 14.500A8.500 8.500 0 0 1 9.500 4a8.500 8.500 0 1 0 10.500 10.500z',
  auto: 'M12 3.500a8.500 8.500 0 1 0 0 17zM12 3.500a8.500 8.500 0 0 1 0 17',
  leave: 'M14 4.500H5v15h9M10 12h10M16.500 8.500L20 12l-3.500 3.500',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M8.500 8.500h11v11h-11zM15.500 8.500v-4h-11v11h4',
  check: 'M4.500 12.500l5 5 10-11',
  send: 'M12 19.500v-14M6 11l6-6 6 6',
  stop: 'M7 7h10v10H7z',
  again: 'M19.500 12a7.500 7.500 0 1 1-2.200-5.300L19.500 9M19.500 4.500V9H15',
  sliders: 'M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4',
  code: 'M8.500 7L3.500 12l5 5M15.500 7l5 5-5 5',
  download: 'M12 4v11M7 10.500l5 5 5-5M4.500 19.500h15',
  dice: 'M4 4h16v16H4zM8.500 9.300a.8.8 0 1 0 0-1.600.8.8 0 0 0 0 1.600zM12 12.800a.8.8 0 1 0 0-1.600.8.8 0 0 0 0 1.600zM15.500 16.300a.8.8 0 1 0 0-1.600.8.8 0 0 0 0 1.600z',
  plus: 'M12 5v14M5 12h14',
  next: 'M9 5.500l6.500 6.500L9 18.500',
  back: 'M15 5.500L8.500 12l6.500 6.500',
  brush:
    'M20 4c-5 2-8.500 6-10 9.500l1.500 1.500C15 13.500 18.500 9.500 20 4zM9 14.500c-2.500 0-3 2-3 3.500 0 1-.8 1.800-2 2 4 1.200 7-.5 6.800-3.700z',
  spread: 'M4.500 4.500h6v6h-6zM13.500 4.500h6v6h-6zM4.500 13.500h6v6h-6zM13.500 13.500h6v6h-6z',
  pin: 'M9 4.500h6l-1 6 3 3H7l3-3zM12 13.500V20',
  unpin: 'M9 4.500h6l-1 6 3 3H7l3-3zM12 13.500V20M4.500 4.500l15 15',
  trash: 'M5 7h14M10 7V4.500h4V7M7 7l1 12.500h8L17 7',
} as const

export type IconName = keyof typeof outlines

/** A line drawing in the colour of the text around it; never the only label of a control. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }): VNode {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.6"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={outlines[name]} />
    </svg>
  )
}

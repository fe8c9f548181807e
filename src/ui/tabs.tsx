import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { classes } from './classes.ts'

export interface TabItem {
  name: string
  label: ReactNode
  panel: ReactNode
}

/** Tabs with the keys of the ARIA pattern: arrows, Home and End. */
export function Tabs({
  id,
  label,
  items,
  className,
}: {
  id: string
  label: string
  items: readonly TabItem[]
  className?: string
}): ReactNode {
  const [shown, setShown] = useState(0)
  const buttons = useRef<(HTMLButtonElement | null)[]>([])

  const onKeyDown = (event: KeyboardEvent): void => {
    const moves: Record<string, number> = {
      ArrowRight: shown + 1,
      ArrowLeft: shown - 1,
      Home: 0,
      End: items.length - 1,
    }
    const target = moves[event.key]
    if (target === undefined) return
    event.preventDefault()
    const next = (target + items.length) % items.length
    setShown(next)
    buttons.current[next]?.focus()
  }

  return (
    <div className={className}>
      <div
        role="tablist"
        aria-label={label}
        className="grid auto-cols-fr grid-flow-col border-b border-line lg:flex lg:flex-wrap lg:gap-2"
      >
        {items.map((item, index) => (
          <button
            key={item.name}
            ref={(element) => {
              buttons.current[index] = element
            }}
            type="button"
            role="tab"
            id={`${id}-${item.name}`}
            aria-controls={`${id}-${item.name}-panel`}
            aria-selected={index === shown}
            tabIndex={index === shown ? 0 : -1}
            onClick={() => setShown(index)}
            onKeyDown={onKeyDown}
            className={classes(
              'relative flex min-h-14 flex-col items-start gap-x-2.5 px-2 py-2.5 text-left text-sm leading-snug font-semibold wrap-anywhere',
              'after:absolute after:inset-x-0 after:-bottom-px after:h-0.75 lg:flex-row lg:items-center lg:px-5 lg:text-base',
              index === shown ? 'text-ink after:bg-signal' : 'text-muted hover:text-ink',
            )}
          >
            {item.label}
          </button>
        ))}
      </div>
      {items.map((item, index) => (
        <div
          key={item.name}
          role="tabpanel"
          id={`${id}-${item.name}-panel`}
          aria-labelledby={`${id}-${item.name}`}
          hidden={index !== shown}
        >
          {item.panel}
        </div>
      ))}
    </div>
  )
}

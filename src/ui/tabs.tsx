import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import { classes } from './classes.ts'

export interface TabItem {
  name: string
  label: ReactNode
  panel: ReactNode
}

/** Tabs with the keyboard habits of the ARIA pattern: arrows move, Home and End jump, the shown panel follows. */
export function Tabs({ label, items, className }: { label: string; items: readonly TabItem[]; className?: string }): ReactNode {
  const id = useId()
  const [shown, setShown] = useState(0)
  const buttons = useRef<(HTMLButtonElement | null)[]>([])

  const onKeyDown = (event: KeyboardEvent): void => {
    const moves: Record<string, number> = { ArrowRight: shown + 1, ArrowLeft: shown - 1, Home: 0, End: items.length - 1 }
    const target = moves[event.key]
    if (target === undefined) return
    event.preventDefault()
    const next = (target + items.length) % items.length
    setShown(next)
    buttons.current[next]?.focus()
  }

  return (
    <div className={className}>
      <div role="tablist" aria-label={label} className="scrollbar-none flex gap-1 overflow-x-auto border-b border-line p-1">
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
              'relative min-h-12 shrink-0 px-4 text-sm font-semibold whitespace-nowrap sm:px-6 sm:text-base',
              index === shown
                ? 'text-ink after:absolute after:inset-x-0 after:-bottom-1 after:h-0.75 after:bg-signal'
                : 'text-muted hover:text-ink',
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

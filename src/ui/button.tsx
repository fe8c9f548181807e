import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { classes } from './classes.ts'
import { Spinner } from './spinner.tsx'
import { Tooltip } from './tooltip.tsx'

/** `inverse` stands on dark pictures and grounds. */
export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger' | 'inverse'
export type ButtonSize = 'medium' | 'large' | 'small'

const VARIANTS: Record<ButtonVariant, string> = {
  primary: 'bg-fill text-on-fill hover:bg-fill-strong',
  secondary: 'border border-line-strong bg-surface text-ink hover:border-ink',
  ghost: 'text-ink hover:bg-sunken',
  inverse: 'bg-paper text-asphalt hover:bg-white',
  danger: 'border border-error bg-surface text-error hover:bg-error-soft',
}
const SIZES: Record<ButtonSize, string> = {
  small: 'min-h-11 text-sm',
  medium: 'min-h-12 text-base',
  large: 'min-h-14 text-lg',
}
/** What stands at both sides of the words; a wide button has room enough, and its words need it where it is narrow. */
const SIDES: Record<ButtonSize, string> = {
  small: 'px-4',
  medium: 'px-5',
  large: 'px-[min(1.75rem,7vw)]',
}

/** Apart from the rest: a link is never disabled, and pages are sent with a dozen of them. */
const DISABLED = 'disabled:border-transparent disabled:bg-sunken disabled:text-muted'

/**
 * The classes of a button, for links that look like one: `<AppLink className={buttonClasses()} …>`.
 * @param wide fills the width it is given
 */
export const buttonClasses = (
  variant: ButtonVariant = 'primary',
  size: ButtonSize = 'medium',
  { wide = false, className }: { wide?: boolean; className?: string | undefined } = {},
): string =>
  classes(
    'pressable inline-flex items-center justify-center gap-2.5 rounded-md text-center font-semibold leading-tight no-underline',
    'transition-colors duration-150',
    VARIANTS[variant],
    SIZES[size],
    wide ? 'w-full px-3' : SIDES[size],
    className,
  )

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  variant?: ButtonVariant
  size?: ButtonSize
  wide?: boolean
  /** While true the button is disabled and shows a turning sign before its text. */
  busy?: boolean
  /** Text while busy, for example "Loading..."; the ordinary text when left out. */
  busyText?: string
  children: ReactNode
}

/** A button. Give the reason for `disabled` beside it: a dead button alone explains nothing. */
export function Button(props: ButtonProps): ReactNode {
  const {
    variant,
    size,
    wide,
    busy = false,
    busyText,
    disabled,
    className,
    children,
    type = 'button',
    ...rest
  } = props
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={buttonClasses(variant, size, {
        wide: wide ?? false,
        className: classes(DISABLED, className),
      })}
    >
      {busy && <Spinner />}
      {busy ? (busyText ?? children) : children}
    </button>
  )
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** What the button does, for screen readers and as its tooltip. */
  label: string
  children: ReactNode
}

/** A square button that shows only an icon, 44 px at the least. */
export function IconButton({
  label,
  className,
  children,
  type = 'button',
  ...rest
}: IconButtonProps): ReactNode {
  return (
    <Tooltip text={label}>
      <button
        {...rest}
        type={type}
        aria-label={label}
        className={classes(
          'inline-flex size-11 shrink-0 items-center justify-center rounded-md text-ink transition-colors duration-150',
          'hover:bg-sunken disabled:text-muted disabled:hover:bg-transparent',
          className,
        )}
      >
        {children}
      </button>
    </Tooltip>
  )
}

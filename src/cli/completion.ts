/** Completions of the command `verifyhuman` for bash: its commands, and their options. */
export function bashCompletion(commands: readonly (readonly [name: string, options: readonly string[]])[]): string {
  const names = [...commands.map(([name]) => name), '--help', '--version'].join(' ');
  const cases = commands
    .filter(([, options]) => options.length > 0)
    .map(([name, options]) => `    ${name}) words='${options.join(' ')}' ;;`);
  return `_verifyhuman() {
  local words='${names}'
  [ "$COMP_CWORD" -eq 1 ] || case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words='' ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _verifyhuman verifyhuman
`;
}

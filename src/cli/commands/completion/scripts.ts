import type { CompletionDocument } from './document.js';

export type Shell = 'bash' | 'zsh' | 'fish' | 'powershell';

/**
 * The script that each shell runs to complete a line that begins with ctx. It knows nothing of commands and flags: it asks
 * the program, so it stays right when that becomes another version. Nothing that is typed or answered is evaluated.
 */
export const completionScripts: Readonly<Record<Shell, string>> = {
  bash: `# bash completion for ctx: eval "$(ctx completion bash)"
_ctx() {
  local answer line typed kept tab=$'\\t'
  answer=$(ctx completion bash --no-config -- "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null) || return
  # Of a word that readline takes for several, it replaces only the last one.
  typed=\${COMP_LINE:0:COMP_POINT}
  typed=\${typed##*[[:space:]]}
  kept=\${typed%"\${typed##*["$COMP_WORDBREAKS"]}"}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o default ;;
      :folders) compopt -o dirnames ;;
      :none) ;;
      *)
        line=\${line%%"$tab"*}
        COMPREPLY+=("\${line#"$kept"}")
        ;;
    esac
  done <<< "$answer"
  compopt -o nosort 2>/dev/null
}
complete -F _ctx ctx
`,
  zsh: `#compdef ctx
# zsh completion for ctx: source <(ctx completion zsh)
_ctx() {
  local line files=none tab=$'\\t' typed=\${(Q)words[CURRENT]}
  # Behind an open quote the shell has taken the word apart already.
  [[ $words[CURRENT] == [\\"\\']* ]] && typed=$PREFIX
  local -a answer values shown
  answer=("\${(@f)$(ctx completion zsh --no-config -- "\${(@Q)words[2,CURRENT-1]}" "$typed" 2>/dev/null)}")
  for line in $answer; do
    case $line in
      (:*) files=\${line#:} ;;
      (*)
        values+=("\${line%%$tab*}")
        shown+=("\${line/$tab/  }")
        ;;
    esac
  done
  (( $#values )) && compadd -U -l -V ctx -d shown -a values
  case $files in
    (files) _files ;;
    (folders) _files -/ ;;
  esac
}
if [[ $funcstack[1] == _ctx ]]; then _ctx "$@"; else compdef _ctx ctx; fi
`,
  fish: `# fish completion for ctx: ctx completion fish | source
function __ctx_complete
    set -l typed (commandline -ct | string unescape)
    set -q typed[1]; or set typed ''
    set -l words (commandline -opc)[2..-1] $typed
    for line in (ctx completion fish --no-config -- $words 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path (commandline -ct)
            case ':folders'
                __fish_complete_directories (commandline -ct)
            case ':none'
            case '*'
                printf '%s\\n' $line
        end
    end
end
complete -c ctx -f -k -a '(__ctx_complete)'
`,
  powershell: `# powershell completion for ctx: ctx completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName ctx -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object {
            if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value }
            else { $_.Extent.Text }
        })
    $words += "$wordToComplete".Trim([char[]] @(39, 34))
    # Windows PowerShell drops empty arguments, so each word is passed behind a =.
    $words = @($words | ForEach-Object { "=$_" })
    $files = 'none'
    foreach ($line in @(ctx completion powershell --no-config $words 2>$null)) {
        if ($line.StartsWith(':')) { $files = $line.Substring(1); continue }
        $word, $about = $line.Split([char[]] @(9), 2)
        if (-not $about) { $about = $word }
        [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $about)
    }
    if ($files -ne 'none') {
        [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete) |
            Where-Object { $files -eq 'files' -or $_.ResultType -eq 'ProviderContainer' }
    }
}
`,
};

export const SHELLS = Object.keys(completionScripts) as readonly Shell[];

/** The document of a script. */
export function buildScriptDocument(shell: Shell): CompletionDocument {
  return { schema: 'ctx/completion', schemaVersion: 1, shell, script: completionScripts[shell] };
}

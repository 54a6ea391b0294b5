// Highlighting of Promela, DVE and ESML: one tokenizer that is told the words and the comment signs of a language.
import { StreamLanguage, type StringStream } from '@codemirror/language';

interface Words {
  name: string;
  line?: string;
  open: string;
  close: string;
  keywords: string;
  types: string;
  constants: string;
  builtins: string;
  declares: string;
  directives?: RegExp;
}

interface State {
  comment: boolean;
  after: string;
}

const list = (text: string): Set<string> => new Set(text.split(' '));

const PROMELA: Words = {
  name: 'promela',
  line: '//',
  open: '/*',
  close: '*/',
  keywords:
    'init never trace notrace active if fi do od for select else break goto return unless atomic d_step timeout skip provided ' +
    'priority assert of in ltl inline typedef proctype D_proctype hidden local show xr xs always eventually until stronguntil ' +
    'weakuntil release implies equivalent',
  types: 'bit bool byte short int unsigned chan mtype pid',
  constants: 'true false _pid _last _nr_pr _priority np_ _',
  builtins: 'run len empty nempty full nfull enabled eval pc_value get_priority set_priority printf printm',
  declares: 'proctype D_proctype inline typedef ltl',
  directives: /^\s*#\s*\w+/,
};

const DVE: Words = {
  name: 'dve',
  line: '//',
  open: '/*',
  close: '*/',
  keywords: 'process state init accept commit trans system property assert guard sync effect async const and or not imply',
  types: 'byte int channel',
  constants: 'true false',
  builtins: 'define undefine ifdef ifelse include forloop dnl incr decr eval shift',
  declares: 'process',
};

const ESML: Words = {
  name: 'esml',
  open: '(*',
  close: '*)',
  keywords: 'MODEL PROCESS CONST TYPE VAR ASSERT BEGIN END IF DO POLL SKIP OF IN OUT DIV MOD OR AF AG AX EF EG EX A E U',
  types: 'BOOLEAN ARRAY LIST',
  constants: 'TRUE FALSE',
  builtins: 'APPEND PREPEND REMOVE HEAD LEN EMPTY TRACE',
  declares: 'PROCESS MODEL',
};

function tokenizer(words: Words) {
  const [keywords, types, constants, builtins, declares] = [
    list(words.keywords),
    list(words.types),
    list(words.constants),
    list(words.builtins),
    list(words.declares),
  ];

  function comment(stream: StringStream, state: State): string {
    while (!stream.eol()) {
      if (stream.match(words.close)) {
        state.comment = false;
        break;
      }
      stream.next();
    }
    return 'comment';
  }

  function word(stream: StringStream, state: State): string {
    const text = stream.current();
    const after = state.after;
    state.after = text;
    if (declares.has(after)) return 'def';
    if (keywords.has(text)) return 'keyword';
    if (types.has(text)) return 'typeName';
    if (constants.has(text)) return 'atom';
    if (builtins.has(text)) return 'builtin';
    return 'variableName';
  }

  return (stream: StringStream, state: State): string | null => {
    if (state.comment) return comment(stream, state);
    if (stream.sol() && words.directives && stream.match(words.directives)) return 'meta';
    if (stream.eatSpace()) return null;
    if (stream.match(words.open)) {
      state.comment = true;
      return comment(stream, state);
    }
    if (words.line && stream.match(words.line)) {
      stream.skipToEnd();
      return 'comment';
    }
    if (stream.match(/^"(\\.|[^"\\])*"?/) || stream.match(/^'(\\.|[^'\\])'/)) return 'string';
    if (stream.match(/^(0[xX][0-9a-fA-F]+|\d+)/)) return 'number';
    if (stream.match(/^[A-Za-z_]\w*/)) return word(stream, state);
    state.after = '';
    if (stream.match(/^(::|->|<->|:=|\[\]|<>|!!|\?\?|&&|\|\||[=!<>]=|\+\+|--|[-+*/%&|^~<>=!?@#])/)) return 'operator';
    stream.next();
    return 'punctuation';
  };
}

function language(words: Words) {
  return StreamLanguage.define<State>({
    name: words.name,
    startState: () => ({ comment: false, after: '' }),
    token: tokenizer(words),
    languageData: {
      commentTokens: words.line
        ? { line: words.line, block: { open: words.open, close: words.close } }
        : { block: { open: words.open, close: words.close } },
      closeBrackets: { brackets: ['(', '[', '{', '"'] },
    },
  });
}

const LANGUAGES = { promela: language(PROMELA), dve: language(DVE), esml: language(ESML) };

/// The language of a file, by its name.
export function languageOf(path: string) {
  if (/\.m?dve$/.test(path)) return LANGUAGES.dve;
  if (/\.esml$/.test(path)) return LANGUAGES.esml;
  return LANGUAGES.promela;
}

//! Transcripts that nobody wrote: as large and as mixed as real ones, the same for the same seed.
//! For tests and measures only.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// How much there is to be.
#[derive(Clone, Copy, Debug)]
pub struct Corpus {
    pub files: usize,
    /// All of them together.
    pub bytes: u64,
    pub seed: u64,
}

/// Xorshift: good enough to mix, and the same everywhere.
#[derive(Clone, Debug)]
pub struct Dice(u64);

const WORDS: [&str; 40] = [
    "login",
    "parser",
    "test",
    "fails",
    "because",
    "cache",
    "index",
    "the",
    "a",
    "of",
    "when",
    "daemon",
    "socket",
    "timeout",
    "retry",
    "branch",
    "merge",
    "config",
    "value",
    "should",
    "is",
    "not",
    "handle",
    "error",
    "path",
    "session",
    "token",
    "price",
    "update",
    "remove",
    "add",
    "function",
    "module",
    "struct",
    "thread",
    "lock",
    "query",
    "table",
    "column",
    "migration",
];
const MODELS: [&str; 4] =
    ["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5", "claude-experimental-9"];
const TOOLS: [&str; 5] = ["Bash", "Read", "Edit", "Grep", "Write"];
/// A word that is said once in every so many answers.
const RARE: usize = 997;
/// 2026-09-01.
const FIRST_DAY: u64 = 1_788_220_800_000;

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn throw(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.throw()).unwrap_or(0) % bound
    }
}

/// One session that is being written.
#[derive(Clone, Debug)]
pub struct Writer {
    dice: Dice,
    pub session: String,
    agent: Option<String>,
    cwd: String,
    now: u64,
    number: usize,
}

impl Corpus {
    /// Writes a configuration directory `config`; returns how many bytes it has.
    pub fn write(&self, config: &Path) -> io::Result<u64> {
        let mut total = 0;
        let per_file = self.bytes / self.files as u64;
        let mut dice = Dice::new(self.seed);
        let mut last: Option<Vec<u8>> = None;
        for number in 0..self.files {
            // Some sessions are long, most are short.
            let share = [per_file / 4, per_file / 2, per_file, 9 * per_file / 4][number % 4];
            let mut writer = Writer::new(self.seed, number);
            let folder = config.join("projects").join(format!("-home-dev-p{}", number % 20));
            let path = match number % 10 {
                // Every tenth is a subagent of the one before.
                9 => {
                    let parent = Writer::new(self.seed, number - 1).session;
                    writer.agent = Some(format!("a{number:016x}"));
                    writer.session.clone_from(&parent);
                    let folder =
                        config.join("projects").join(format!("-home-dev-p{}", (number - 1) % 20));
                    folder.join(parent).join(format!("subagents/agent-a{number:016x}.jsonl"))
                }
                _ => folder.join(format!("{}.jsonl", writer.session)),
            };
            fs::create_dir_all(path.parent().unwrap_or(&path))?;
            let mut out = BufWriter::new(File::create(&path)?);
            let mut written = 0;
            // Every seventh is a fork: it carries a copy of what another one said.
            if number % 7 == 6
                && number % 10 != 9
                && let Some(history) = last.take()
            {
                out.write_all(&history)?;
                written += history.len() as u64;
            }
            let mut turns = Vec::new();
            while written < share {
                let turn = writer.turn();
                written += turn.len() as u64;
                out.write_all(&turn)?;
                if turns.len() < 1 << 20 {
                    turns.extend(turn);
                }
            }
            if dice.below(2) == 0 {
                last = Some(turns);
            }
            out.flush()?;
            total += written;
        }
        Ok(total)
    }
}

impl Writer {
    pub fn new(seed: u64, number: usize) -> Writer {
        let dice = Dice::new(seed ^ (number as u64 + 1).wrapping_mul(0x1234_5678_9abc_def1));
        let id = Dice::new(seed + number as u64).throw();
        Writer {
            session: format!(
                "{:08x}-{:04x}-4000-8000-{:012x}",
                id & 0xffff_ffff,
                number & 0xffff,
                number
            ),
            agent: None,
            cwd: format!("/home/dev/p{}", number % 20),
            now: FIRST_DAY + (number as u64 % 70) * 86_400_000 + id % 80_000_000,
            number: 0,
            dice,
        }
    }

    /// A prompt and what follows until the turn is over.
    pub fn turn(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        let prompt = self.words(30);
        let origin = r#""origin":{"kind":"human"},"promptSource":"typed","turnOrigin":"human","#;
        let content = format!("\"{prompt}\"");
        self.line(
            &mut out,
            &format!(r#""type":"user","message":{{"role":"user","content":{content}}},{origin}"#),
        );
        for _ in 0..2 + self.dice.below(8) {
            self.attachment(&mut out);
            let tool = TOOLS[self.dice.below(TOOLS.len())];
            let size = self.dice.below(40);
            let input =
                format!(r#"{{"command":"{}","description":"{}"}}"#, self.code(size), self.words(6));
            let id = format!("toolu_{:024x}", self.dice.throw());
            let block =
                format!(r#"{{"type":"tool_use","id":"{id}","name":"{tool}","input":{input}}}"#);
            let said = self.words(25);
            let text = format!(r#"{{"type":"text","text":"{said}"}}"#);
            self.answer(&mut out, &[text, block], "tool_use");
            let size = 20 + self.dice.below(160);
            let result = self.code(size);
            let inner = format!(
                r#""type":"user","message":{{"role":"user","content":[{{"tool_use_id":"{id}","type":"tool_result","content":"{result}"}}]}},"toolUseResult":{{"stdout":"{result}","stderr":"","interrupted":false}},"#
            );
            self.line(&mut out, &inner);
        }
        let text = format!(r#"{{"type":"text","text":"{}"}}"#, self.words(60));
        self.answer(&mut out, &[text], "end_turn");
        self.line(&mut out, r#""type":"system","subtype":"turn_duration","durationMs":1,"#);
        self.now += 60_000;
        out
    }

    /// One line for each block, all with the same message.
    fn answer(&mut self, out: &mut Vec<u8>, blocks: &[String], stop: &str) {
        self.number += 1;
        let (message, request) = (self.dice.throw(), self.dice.throw());
        let model = MODELS[[0, 0, 0, 1, 1, 2, 0, 1, 2, 0][self.dice.below(10)]];
        let model = if self.dice.below(200) == 0 { MODELS[3] } else { model };
        let mut usage = [0; 5];
        usage.iter_mut().for_each(|count| *count = self.dice.below(3000));
        let [input, output, read, five, hour] = usage;
        let read = read * 60;
        for (place, block) in blocks.iter().enumerate() {
            // The first line may be written before all tokens are counted.
            let output = if place + 1 < blocks.len() { output / 2 } else { output };
            let line = format!(
                r#""message":{{"id":"msg_{message:016x}","type":"message","role":"assistant","model":"{model}","content":[{block}],"stop_reason":"{stop}","stop_sequence":null,"usage":{{"input_tokens":{input},"cache_creation_input_tokens":{},"cache_read_input_tokens":{read},"output_tokens":{output},"server_tool_use":{{"web_search_requests":{}}},"service_tier":"standard","cache_creation":{{"ephemeral_1h_input_tokens":{hour},"ephemeral_5m_input_tokens":{five}}},"speed":"standard"}}}},"requestId":"req_{request:016x}","type":"assistant","#,
                five + hour,
                usize::from(message % 50 == 0),
            );
            self.line(out, &line);
        }
    }

    fn attachment(&mut self, out: &mut Vec<u8>) {
        let size = self.dice.below(12);
        let text = self.code(size);
        let line = format!(
            r#""attachment":{{"type":"hook_success","content":"{text}"}},"type":"attachment","#
        );
        self.line(out, &line);
    }

    fn line(&mut self, out: &mut Vec<u8>, inner: &str) {
        self.now += 700;
        let at = atm_core::stamp::Stamp(self.now.cast_signed());
        let (uuid, parent) = (self.dice.throw(), self.dice.throw());
        let agent = match &self.agent {
            Some(agent) => format!(r#","agentId":"{agent}""#),
            None => String::new(),
        };
        let text = format!(
            r#"{{"parentUuid":"{parent:032x}","isSidechain":{},{inner}"uuid":"{uuid:032x}","timestamp":"{at}","userType":"external","entrypoint":"cli","cwd":"{}","sessionId":"{}","version":"2.1.325","gitBranch":"main"{agent}}}"#,
            self.agent.is_some(),
            self.cwd,
            self.session,
        );
        out.extend(text.into_bytes());
        out.push(b'\n');
    }

    fn words(&mut self, about: usize) -> String {
        let count = 1 + self.dice.below(2 * about);
        let mut words: Vec<&str> =
            (0..count).map(|_| WORDS[self.dice.below(WORDS.len())]).collect();
        let rare = format!("rare{}", self.dice.below(RARE));
        if self.dice.below(10) == 0 {
            words.push(&rare);
        }
        words.join(" ")
    }

    /// Lines of a program, as tools give them back.
    fn code(&mut self, lines: usize) -> String {
        let mut text = String::new();
        for _ in 0..lines {
            let (a, b) = (WORDS[self.dice.below(40)], WORDS[self.dice.below(40)]);
            text += r"    let ";
            text += a;
            text += r#" = self."#;
            text += b;
            text += r#"(\"value\", 17)?; // and so on\n"#;
        }
        text
    }
}

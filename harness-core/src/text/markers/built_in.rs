//! The markers that no text may hold, wherever Harness runs.

/// The built-in markers, as we write them. In a text they are found under the
/// [fold](mod@crate::text::fold), with any run of white space for a space.
///
// INVARIANT: each can be a `Marker`: it holds two adjacent letters, where the sanitiser breaks it.
pub const MARKERS: &[&str] = &[
    // The harness's own voice, and the names that its delimiters start with.
    "PANDAPROBE HARNESS",
    "SYSTEM ALERT",
    "harness:",
    "<harness-",
    "</harness-",
    // ChatML and its descendants.
    "<|im_start|>",
    "<|im_end|>",
    "<|im_sep|>",
    "<|endoftext|>",
    "<|endofprompt|>",
    // Llama 2, Mistral.
    "[INST]",
    "[/INST]",
    "<<SYS>>",
    "<</SYS>>",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    // Llama 3 and 4.
    "<|begin_of_text|>",
    "<|end_of_text|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|header_start|>",
    "<|header_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|eot|>",
    "<|python_tag|>",
    // Gemma.
    "<start_of_turn>",
    "<end_of_turn>",
    // Harmony.
    "<|start|>",
    "<|end|>",
    "<|channel|>",
    "<|message|>",
    "<|return|>",
    "<|call|>",
    // Phi, Zephyr, GLM, Command, DeepSeek, Granite.
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    "<|observation|>",
    "<|START_OF_TURN_TOKEN|>",
    "<|END_OF_TURN_TOKEN|>",
    "<|SYSTEM_TOKEN|>",
    "<|USER_TOKEN|>",
    "<|CHATBOT_TOKEN|>",
    "<|begin▁of▁sentence|>",
    "<|end▁of▁sentence|>",
    "<|start_of_role|>",
    "<|end_of_role|>",
];
